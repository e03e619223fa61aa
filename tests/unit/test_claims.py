"""Is this a claim? A corpus of lines in many languages, and the reason for each refusal."""

from __future__ import annotations

import pytest

from openclaw_cli.memory import claims

CLAIMS = """
Der Hausmeister ist nur dienstags im Haus, sonst die Zentrale anrufen
hinten 3,2 bar, vorne 2,8 bar Reifendruck, auch im Winter
Müllabfuhr jede zweite Woche am Freitag
The spare key hangs behind the fuse box in the hall
Lena can't eat celery, not even in stock
Prefers tea without sugar
"Who feeds the fish?" - Marek, every evening at seven
El portero cierra la puerta del garaje a las diez
Prefiero que me escriban por la mañana
Le code de la cave est chez la voisine du premier
La réunion des parents a lieu chaque premier jeudi
Hydraulik Nowak przyjmuje zgłoszenia tylko rano
Bilety miesięczne kupujemy zawsze w kiosku na rogu
Счётчики воды снимаем двадцатого числа каждого месяца
Бабушке нельзя грейпфрут из-за таблеток
Komşunun telefonu buzdolabının üstünde yazılı
Toplantılar hep perşembe öğleden sonra yapılıyor
مفتاح المخزن عند أبي سامي في الدكان المجاور
أختي لا تأكل السمك أبدا
दवाई हर सुबह खाने के बाद लेनी है
पानी की टंकी हर महीने साफ होती है
备用钥匙放在邻居王阿姨家
每月五号交物业费，三百二十元
祖母は血圧の薬を朝食の後に飲む
ゴミは月曜と木曜の朝に出す
할머니는 매일 아침 혈압약을 드신다
분리수거는 수요일 밤에 내놓는다
Kunci cadangan dititipkan di warung Bu Tini
Adik alergi udang dan kepiting
Zubní pohotovost je v nemocnici na Bulovce
Apotheek Linde is op zondag gesloten
Il contatore si legge il primo di ogni mese
O médico da família atende só de manhã
ร้านซ่อมรถปิดทุกวันอาทิตย์
"""

NOT_CLAIMS = {
    "heading": """
        ## Garten
        #### Nach dem Mittag
        # 2025-01-07
        ## 备忘
        ---
        """,
    "todo": """
        - [ ] Regal anschrauben
        - [x] купить лампочки
        * [ ] 打电话给房东
        - TODO: ask about the lease
        ☐ appeler le plombier
        """,
    "code": """
        $ git push --force origin main
        ❯ npm run build
        sudo systemctl restart nginx
        docker run --rm -it alpine sh
        {"id": 7, "name": "pump"}
        for (let i = 0; i < n; i++) {
        return render(items);
        `ls -la /etc`
        root@box:~# df -h
        """,
    "log": """
        2025-01-07 03:11:59 OK 12 rows
        [2025-01-07T03:11:59Z] worker started
        12:04:33 connection reset by peer
        ERROR disk quota exceeded on volume 3
        Traceback (most recent call last):
        """,
    "table": """
        | Monat | Summe |
        | 2024 | 811 |
        3,4 5,1 8,8 9,0
        12 | 14 | 19
        """,
    "report": """
        Statusbericht: Disk 81 %, Last 0,4, Fehler 0
        Backup status: 811 files, 0 errors
        Rapport de sauvegarde : 17 fichiers, 0 erreur
        Informe de copia: 1 024 archivos, 0 errores
        Raport kopii: 88 plików, 0 błędów
        Отчёт: резервная копия, 120 файлов, ошибок 0
        Yedek raporu: 44 dosya, 0 hata
        تقرير النسخ: 12 ملف، خطأ 0
        备份报告: 120 个文件, 错误 0
        日報: 処理 44 件, エラー 0
        Heartbeat 06:00: nothing to do
        Kasse: bar 10,00 / Karte 99,90 / Storno 0
        Theke: soups 12 / cakes 31 / returns 0
        """,
    "question": """
        Wann kommt der Schornsteinfeger?
        - did Ole pay the deposit?
        ¿Quién tiene la llave?
        Куда положили паспорт?
        متى يفتح المتجر؟
        明日は休みですか
        钥匙在谁那里？
        """,
    "fragment": """
        Einkauf:
        milk,
        and then the
        Nebel
        Besprechung mit Anna (
        晴れ
        비
        fünf Mails...
        """,
    "passing": """
        Heute lange am Zaun gearbeitet
        went to the dentist yesterday, all fine
        Ce soir on mange chez Paul
        Сегодня приходил мастер из ЖЭКа
        Bugün fırın yine geç açıldı
        今天下午去了银行
        今日は寝坊した、電車も遅れた
        오늘 시장에서 배추를 샀다
        hari ini hujan deras sampai sore
        """,
    "wrapper": """
        Conversation info (untrusted metadata):
        [cron:nightly] Run the checks.
        [Subagent Context] depth 1/1: read the file.
        HEARTBEAT_OK
        {"message_id": "91", "sender_id": "x"}
        <!-- openclaw:dreaming:light:start -->
        """,
    "empty": "\n-\n>\n",
}


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize("text", lines(CLAIMS))
def test_a_statement_is_a_claim_with_and_without_a_list_marker(text: str) -> None:
    assert claims.refusal(text) is None
    assert claims.refusal(f"- {text}") is None
    assert claims.refusal(f"User: {text}") is None


@pytest.mark.parametrize(
    ("reason", "text"), [(why, line) for why, text in NOT_CLAIMS.items() for line in lines(text)]
)
def test_what_is_no_claim_says_why(reason: str, text: str) -> None:
    assert claims.refusal(text) == reason


def test_a_fence_makes_any_line_code() -> None:
    assert claims.refusal("the pump is in the cellar", fenced=True) == "code"


@pytest.mark.parametrize(
    "text",
    [
        "From today on the shop opens at nine",
        "Ab heute gilt die neue Hausordnung im Hof",
        "С сегодняшнего дня ключи у консьержа",
        "今日から集合場所は北口に変わる",
        "오늘부터 출입문 비밀번호가 바뀐다",
    ],
)
def test_what_begins_today_is_not_over_with_it(text: str) -> None:
    assert claims.refusal(text) is None


@pytest.mark.parametrize("text", ["Guten Morgen sagt er nie", "hier ist der Lichtschalter"])
def test_a_day_word_of_another_language_means_nothing(text: str) -> None:
    assert claims.refusal(text) is None


def test_numbers_are_masked_to_find_a_series() -> None:
    assert claims.masked("- Zähler 123, Stand 4,5") == ("zähler #, stand #,#", "123 4 5")


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("the meeting moved to Thursday", True),
        ("teraz płacimy przelewem", True),
        ("教室改到三楼", True),
        ("the meeting is on Thursday", False),
    ],
)
def test_a_word_of_change_is_recognised(text: str, tells: bool) -> None:
    assert claims.tells_change(text) is tells
