"""Words that tell a passing remark or a machine's line from a lasting statement; data only.

Folded (``words.fold``) where they are read. Words of many languages lie in one list: a
word is only taken where its place in the line says the same in any of them.
"""

from __future__ import annotations

# What names a line that a program wrote, as a part of a word before the colon.
REPORT_WORDS = """
    report bericht rapport informe relatorio relazione resoconto raport zprava отчет звiт звіт
    rapor تقرير रिपोर्ट 报告 報告 记录 記録 日志 ログ 기록 レポート 日報 リポート 보고 리포트
    laporan αναφορα דוח
    status statut estado stato stav статус حالة स्थिति 状态 狀態 ステータス 상태 durum κατασταση
    heartbeat backup sicherung sauvegarde respaldo kopia zapasowa резервн yedek cadangan نسخ
    बैकअप 备份 備份 バックアップ 백업 cron healthcheck uptime journal logfile build deploy
"""

# Outcomes as programs report them.
OUTCOME_WORDS = """
    ok okay error errors fehler erreur erreurs error errores erro erros errore errori blad bledow
    bledy chyba chyb ошибка ошибок ошибки помилок hata hatasiz خطأ أخطاء त्रुटि 错误 錯誤 エラー
    오류 kesalahan warning warnings warnung warnungen avertissements failed fehlgeschlagen echec
    fallo falha fallito niepowodzenie неудачно basarisiz فشل विफल 失败 失敗 실패 gagal done finished
    completed fertig abgeschlossen termine terminado concluido completato zakonczono завершено
    выполнено tamamlandi bitti اكتمل पूर्ण 完成 完了 완료 selesai succeeded success erfolgreich
    running idle up down online offline passed skipped quiet ruhig nothing nichts rien nada nic
"""

# Words that bind a remark to its day.
DAY_WORDS = """
    today; tonight; tomorrow; yesterday; this morning; this afternoon; this evening; heute;
    morgen frueh; morgen fruh; ubermorgen; gestern; vorhin; aujourd hui; ce soir; ce matin;
    cet apres midi; demain; hoy; esta noche; esta tarde; manana por la; ayer; hoje; amanha; ontem;
    oggi; stasera; stamattina; domani; ieri; vandaag; vanavond; gisteren; dzis; dzisiaj;
    wczoraj; dnes; zitra; vcera; сегодня; завтра; вчера; сьогодні; завтра; вчора; bugun;
    yarin; bu aksam; bu sabah; idag; i dag; imorgon; i morgen; igar; i gar;
    tanaan; huomenna; eilen; holnap; tegnap; hari ini; besok; nanti malam; tadi pagi; kemarin;
    اليوم; غدا; الليلة; أمس; היום; מחר; אתמול; आज; 今天; 今晚; 今早; 明天; 昨天; 今日; 今夜; 今朝;
    明日; 昨日; 오늘; 내일; 어제; 오늘밤; hom nay; ngay mai; hom qua; วันนี้; พรุ่งนี้; เมื่อวาน;
    σημερα; αυριο; χθες
"""

# Day words that are something else in another language ("the morning", "must", "just now"):
# they count only in the language named here.
DAY_WORDS_OF = {
    "morgen": "nl", "dun": "tr", "hier": "fr",
    "jutro": "pl",
}  # fmt: skip

# "From ... on": what follows begins that day and is not over with it.
FROM_BEFORE = """
    from since starting as of ab seit von an depuis des a partir de du desde dal da vanaf sinds od
    poczawszy с со начиная з від من منذ ابتداء dari mulai sejak 从 自 從 fran fra fra og med alkaen
    per until bis jusqu jusque hasta ate fino do до sampai حتى
"""
FROM_AFTER = "から 부터 itibaren beri 起 以降 开始 開始 से onwards onward alkaen tol"

# The words in front of a day from which something new holds: not "of", not "until".
BEGIN_BEFORE = """
    from since starting effective ab seit depuis partir desde dal vanaf sinds od poczawszy начиная
    с від з من منذ ابتداء dari mulai sejak 从 自 從 fran fra itibaren
"""

# What makes a day one that comes again.
RHYTHM_WORDS = """
    every each weekly biweekly fortnightly monthly daily always usually regularly whenever
    jede jeden jeder jedes jeweils wochentlich monatlich taglich immer stets regelmassig
    chaque toujours hebdomadaire habituellement
    cada siempre todos todas semanal semanalmente habitualmente
    sempre toda todas
    ogni settimanale settimanalmente
    elke iedere wekelijks altijd steeds
    kazdy kazda kazdego kazdym zawsze zwykle
    kazdou kazde vzdy pravidelne
    каждый каждую каждое каждые всегда еженедельно обычно
    кожен кожну кожне кожні завжди щотижня
    fiecare mereu intotdeauna
    hep daima haftalik
    varje alltid hver hvert aina
    minden mindig hetente
    setiap tiap selalu rutin biasanya
    كل دائما أسبوعيا
    हर हमेशा प्रत्येक
    καθε παντα
    每 总是 一直 照常 毎 いつも 常に 매주 매일 매월 매달 항상 언제나 ทุก
"""

# What says that something holds now, in place of what held before.
REPLACING_WORDS = """
    now instead anymore longer switched henceforth moved moves
    jetzt nun statt stattdessen nunmehr kuenftig kunftig umgezogen gewechselt
    maintenant desormais dorenavant demenage
    ahora adelante mudado traslado
    agora adiante mudou mudaram
    adesso ora invece spostato trasferito
    nu voortaan verhuisd
    teraz odtad zamiast przeniesiono przeniesiony
    nyni misto presunuto
    теперь отныне вместо переехал перенесли перенесен
    тепер замість відтепер
    artik simdi yerine tasindi
    الآن بدلا أصبح أصبحت صار صارت
    अब बजाय
    现在 以后 改为 改用 改成 改到 改在 改周 改星期 换成 换到 更换 搬到 起改 調整 调整为 現在 改為
    今は 今後 代わりに に変更 になった に変わ へ変更 切り替え 引っ越
    이제 대신 변경 바뀌 바뀐 바꿈 바꿨 바뀜 옮김 옮겼 갈아타 갈아탔 이사
    sekarang kini menjadi pindah
    numera istallet flyttade
    mostantol helyett thay
    τωρα πλεον αντι
"""

# What says that something has changed, or is new.
CHANGE_WORDS = """
    new changed changes replaced updated
    neu neue neuer neuen neues geaendert geandert nicht mehr
    nouveau nouvelle change plutot passe passent
    nuevo nueva cambio cambia vez pasa pasan
    novo nova passou passa
    nuovo nuova cambiato
    nieuw nieuwe gewijzigd
    nowy nowa nowe nowym zmiana zmieniono przeprowadzka
    novy nova zmena
    новый новая новое новые изменился изменилось больше
    новий нова нове
    yeni degisti alindi
    جديد جديدة تغير انتقل
    नया नई नए बदल बदला बदली
    新的 變更
    変更 変わ 新しい 移動 移転
    새로 새로운 옮겨
    baru berubah diganti
    nyt ny nytt uusi
    uj atkoltozott valtozott
"""

# What says that somebody is not sure, or was wrong.
HEARSAY_WORDS = """
    maybe perhaps possibly probably supposedly apparently allegedly thinks rumour rumor mistake
    mistaken wrong unsure
    vielleicht angeblich vermutlich womoglich meint glaubt gerucht irrtum irrt falsch sei
    peut etre croit parait rumeur erreur tort
    quizas quiza cree supuestamente rumor error equivocado equivocada
    talvez acha supostamente boato erro engano
    forse crede pare voce errore
    misschien denkt vermoedelijk gerucht vergissing
    moze chyba podobno pomylka bledna
    mozna pry omyl
    возможно наверное кажется якобы слух ошибка ошибся ошиблась
    можливо мабуть нібито помилка
    belki galiba sanirim sozde yanlis
    kanske tror nog misstag
    ربما يظن يبدو إشاعة خطأ
    शायद अफवाह गलत
    可能 也许 好像 听说 据说 弄错 搞错 记错 たぶん らしい かもしれない 勘違い 間違い
    아마 착각 소문 잘못
    mungkin katanya barangkali salah keliru
"""

# What no sentence ends with.
OPEN_WORDS = """
    the an and or of with und oder der den et ou le les des y el los las il gli oraz albo и или
    і або ve veya ile dan atau و أو और या with och eller en het
"""
