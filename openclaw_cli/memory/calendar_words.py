"""The words for months, weekdays, stretches of time and "ago", by meaning; data only.

Folded (``words.fold``) where they are read. Words that mean something else in a common
language (Portuguese weekdays are ordinals, Romanian ones months) are left out.
"""

from __future__ import annotations

# One line of words a month, January first.
MONTHS = (
    """january jan januar janvier enero janeiro gennaio januari stycznia styczen styczniu ledna
        leden января январь январе січня січень ianuarie ocak tammikuu tammikuussa
        janvari يناير जनवरी ιανουαριου""",
    """february feb februar fevrier febrero fevereiro febbraio februari lutego luty lutym unora
        unor февраля февраль феврале лютого лютии februarie subat helmikuu helmikuussa
        فبراير फरवरी φεβρουαριου""",
    """march mar marz mars marzo marco maart marca marzec marcu brezna brezen марта март марте
        березня березень martie mart maaliskuu maaliskuussa marts
        maret marcius مارس मार्च μαρτιου""",
    """april apr avril abril aprile kwietnia kwiecien kwietniu dubna duben апреля апрель апреле
        квітня квітень aprilie nisan huhtikuu huhtikuussa
        aprilis أبريل ابريل अप्रैल απριλιου""",
    """may mai mayo maio maggio mei maja maj maju kvetna kveten мая маи мае травня травень
        mayis toukokuu toukokuussa
        majus مايو أيار मई μαιου""",
    """june jun juni juin junio junho giugno czerwca czerwiec czerwcu cervna cerven июня июнь
        июне червня червень iunie haziran kesakuu kesakuussa
        junius يونيو حزيران जून ιουνιου""",
    """july jul juli juillet julio julho luglio lipca lipiec lipcu cervence cervenec июля июль
        июле липня липень iulie temmuz heinakuu heinakuussa
        julius يوليو تموز जुलाई ιουλιου""",
    """august aug aout agosto augustus sierpnia sierpien sierpniu srpna srpen августа август
        августе серпня серпень agustos elokuu elokuussa augusti
        agustus augusztus أغسطس اغسطس अगस्त αυγουστου""",
    """september sep sept septembre septiembre setembro settembre wrzesnia wrzesien wrzesniu
        zari сентября сентябрь сентябре вересня вересень septembrie eylul syyskuu syyskuussa
        szeptember سبتمبر أيلول सितंबर σεπτεμβριου""",
    """october oct oktober octobre octubre outubro ottobre pazdziernika pazdziernik
        pazdzierniku rijna rijen октября октябрь октябре жовтня жовтень octombrie ekim lokakuu
        lokakuussa
        أكتوبر اكتوبر अक्टूबर οκτωβριου""",
    """november nov novembre noviembre novembro listopada listopad listopadzie listopadu ноября
        ноябрь ноябре листопада листопад noiembrie kasim marraskuu marraskuussa
        نوفمبر नवंबर νοεμβριου""",
    """december dec dezember decembre diciembre dezembro dicembre grudnia grudzien grudniu
        prosince prosinec декабря декабрь декабре грудня грудень decembrie aralik joulukuu
        joulukuussa
        desember ديسمبر दिसंबर δεκεμβριου""",
)

# One line of words a weekday, Monday first.
WEEKDAYS = (
    """monday montag lundi lunes lunedi maandag poniedzialek poniedzialku pondeli понедельник
        понеділок mandag pazartesi 周一 週一 星期一 礼拜一 月曜日 월요일
        senin isnin hetfo δευτερα الاثنين الإثنين सोमवार segunda-feira วันจันทร์""",
    """tuesday dienstag mardi martes martedi dinsdag wtorek utery вторник вівторок tisdag
        tirsdag 周二 週二 星期二 礼拜二 火曜日 화요일
        selasa kedd τριτη sali الثلاثاء ثلاثاء मंगलवार terca-feira วันอังคาร""",
    """wednesday mittwoch mercredi miercoles mercoledi woensdag sroda srode streda среда среду
        середа середу onsdag miercuri carsamba 周三 週三 星期三 礼拜三 水曜日 수요일
        rabu szerda τεταρτη الأربعاء أربعاء बुधवार quarta-feira วันพุธ""",
    """thursday donnerstag jeudi jueves giovedi donderdag czwartek ctvrtek четверг четвер
        torsdag persembe 周四 週四 星期四 礼拜四 木曜日 목요일
        kamis khamis csutortok πεμπτη الخميس خميس गुरुवार quinta-feira joi วันพฤหัส""",
    """friday freitag vendredi viernes venerdi vrijdag piatek patek пятница пятницу п'ятниця
        fredag vineri 周五 週五 星期五 礼拜五 金曜日 금요일
        jumat jumaat pentek παρασκευη cuma الجمعة جمعة शुक्रवार sexta-feira วันศุกร์""",
    """saturday samstag sonnabend samedi sabado sabato zaterdag sobota sobote суббота субботу
        субота lordag sambata cumartesi 周六 週六 星期六 礼拜六 土曜日 토요일
        sabtu szombat σαββατο السبت शनिवार lauantai วันเสาร์""",
    """sunday sonntag dimanche domingo domenica zondag niedziela niedziele nedele воскресенье
        неділя sondag duminica 周日 週日 星期日 星期天 礼拜天 日曜日 일요일
        ahad vasarnap κυριακη الأحد रविवार sunnuntai วันอาทิตย์""",
)

# Phrases for a day, week, month or year, with how many of them it lies back.
RELATIVE: dict[tuple[str, int], str] = {
    ("day", 0): """today; heute; aujourd hui; hoy; hoje; oggi; vandaag; dzisiaj; dzis; dnes;
        сегодня; сьогодні; idag; i dag; tanaan; bugun; azi; hari ini; اليوم; היום; आज; 今天;
        今日; 오늘""",
    ("day", 1): """yesterday; gestern; hier; ayer; ontem; ieri; gisteren; wczoraj; vcera;
        вчера; вчора; igar; i gar; eilen; dun; tegnap; kemarin; أمس; امبارح; אתמול; कल; 昨天;
        昨日; 어제""",
    ("day", 2): """day before yesterday; vorgestern; avant hier; anteayer; anteontem;
        altro ieri; eergisteren; przedwczoraj; predevcirem; позавчера; позавчора; forrgar;
        i forgars; 前天; 一昨日; 그저께""",
    ("week", 0): """this week; diese woche; dieser woche; cette semaine; esta semana;
        questa settimana; deze week; w tym tygodniu; ten tydzien; tento tyden; на этой неделе;
        denna vecka; denne uke; bu hafta; minggu ini; هذا الأسبوع; 这周; 本周; 今週; 이번 주""",
    ("week", 1): """last week; past week; previous week; letzte woche; letzter woche;
        vorige woche; semaine derniere; semana pasada; semana passada; settimana scorsa;
        vorige week; afgelopen week; w zeszlym tygodniu; zeszly tydzien; ostatni tydzien;
        minuly tyden; на прошлой неделе; минулого тижня; forra veckan; forrige uke; sidste uge;
        gecen hafta; minggu lalu; الأسبوع الماضي; 上周; 上星期; 先週; 지난주""",
    ("month", 0): """this month; diesen monat; diesem monat; ce mois; este mes; questo mese;
        deze maand; w tym miesiacu; tento mesic; в этом месяце; denna manad; bu ay; bulan ini;
        هذا الشهر; 这个月; 本月; 今月; 이번 달""",
    ("month", 1): """last month; past month; previous month; letzten monat; letztem monat;
        mois dernier; mes pasado; mes passado; mese scorso; vorige maand; afgelopen maand;
        w zeszlym miesiacu; zeszly miesiac; minuly mesic; в прошлом месяце; минулого місяця;
        forra manaden; forrige maned; sidste maned; gecen ay; bulan lalu; الشهر الماضي; 上个月;
        上月; 先月; 지난달""",
    ("year", 0): """this year; dieses jahr; diesem jahr; cette annee; este ano; quest anno;
        dit jaar; w tym roku; letos; в этом году; цього року; i ar; bu yil; tahun ini;
        هذا العام; 今年; 올해""",
    ("year", 1): """last year; past year; previous year; letztes jahr; letzten jahr;
        annee derniere; ano pasado; ano passado; anno scorso; vorig jaar; afgelopen jaar;
        w zeszlym roku; zeszly rok; loni; в прошлом году; минулого року; forra aret; i fjor;
        sidste ar; gecen yil; tahun lalu; العام الماضي; 去年; 작년""",
}

# Phrases that mean a time in one language and something else in another.
ONLY_IN = {"hier": "fr", "dun": "tr", "loni": "cs", "azi": "ro"}

UNITS = {
    "day": """day days tag tage tagen jour jours dia dias giorno giorni dag dagen dage dni
        dzien den dny день дня дней дні днів paiva paivaa gun hari يوم أيام 天 日""",
    "week": """week weeks woche wochen semaine semaines semana semanas settimana settimane
        weken tydzien tygodnie tygodni tyden tydny неделя недели недель тижні тижнів vecka
        veckor uke uker uge uger viikko viikkoa hafta minggu أسبوع أسابيع 周 週間""",
    "month": """month months monat monate monaten mois mes meses mese mesi maand maanden
        miesiac miesiace miesiecy mesic mesice месяц месяца месяцев місяць місяці місяців manad
        manader maned maneder kuukausi kuukautta ay bulan شهر أشهر 个月 ヶ月""",
    "year": """year years jahr jahre jahren an ans annee annees ano anos anno anni jaar jaren
        rok lata lat roky let год года лет рік роки років ar vuosi vuotta yil tahun سنة سنوات
        عام 年""",
}

AGO = """ago before earlier back vor il hace ha fa geleden temu назад тому pred sedan siden sitten
    once lalu منذ قبل acum"""

# Words for one to ten.
NUMBERS = (
    "one a an einem einer ein un une una uno een jeden один",
    "two zwei deux dos dois due twee dwa dwie два",
    "three drei trois tres tre drie trzy три",
    "four vier quatre cuatro quatro quattro cztery четыре",
    "five funf cinq cinco cinque vijf piec пять",
    "six sechs seis sei zes szesc шесть",
    "seven sieben sept siete sete sette zeven siedem семь",
    "eight acht huit ocho oito otto osiem восемь",
    "nine neun neuf nueve nove negen dziewiec девять",
    "ten zehn dix diez dez dieci tien dziesiec десять",
)
