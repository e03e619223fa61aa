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
FROM_AFTER = "から 부터 itibaren beri 起 以降 开始 開始 से onwards onward alkaen"

# What says that something has changed.
CHANGE_WORDS = """
    now new moved moves changed changes instead anymore longer switched replaced updated
    jetzt neu neue neuer neuen neues nun statt stattdessen umgezogen geaendert geandert gewechselt
    nunmehr kuenftig kunftig nicht mehr
    maintenant desormais nouveau nouvelle dorenavant change demenage plutot
    ahora nuevo nueva cambio cambia mudado traslado vez
    agora novo nova mudou passou
    adesso ora nuovo nuova cambiato spostato trasferito
    nu voortaan nieuw nieuwe verhuisd gewijzigd
    teraz nowy nowa nowe nowym przeniesiono przeniesiony zmiana zmieniono zamiast przeprowadzka
    nyni novy nova misto zmena presunuto
    теперь новый новая новое новые изменился изменилось перенесли перенесен переехал вместо больше
    тепер новий нова нове замість
    artik yeni simdi degisti tasindi yerine alindi
    الآن جديد جديدة تغير انتقل بدلا أصبح أصبحت
    अब नया नई नए बदल बदला बदली बजाय
    现在 改为 改成 改到 换成 搬到 新的 起改 變更 現在 改為
    今は 変更 変わ 新しい 移動 移転 引っ越 今後 代わりに
    이제 변경 바뀌 새로 새로운 이사 옮겨 대신
    sekarang baru pindah berubah diganti menjadi
    numera nyt ny nytt uusi flyttade
"""

# What no sentence ends with.
OPEN_WORDS = """
    the an and or of with und oder der den et ou le les des y el los las il gli oraz albo и или
    і або ve veya ile dan atau و أو और या with och eller en het
"""
