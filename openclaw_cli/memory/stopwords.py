"""Words of questions that name nothing, by language (``memory.md`` 2.6).

Articles, pronouns, auxiliaries, prepositions, conjunctions, question words, vague words
of time, and the verbs with which people ask for something. Our own lists, data only; the
words are folded (``words.fold``) when a list is read.
"""

from __future__ import annotations

from functools import cache

from openclaw_cli.memory.words import fold

_LISTS: dict[str, str] = {
    "en": """a an the this that these those i me my mine we us our ours you your yours he him
        his she her hers it its they them their theirs myself yourself himself herself itself
        themselves ourselves who whom whose which what when where why how am is are was were be
        been being do does did done doing have has had having will would shall should can could
        may might must ought cannot of to in on at by for with from into onto about above below
        over under between among through during before after since until till against without
        within across along around off out up down as per via and or but nor so yet if then else
        than because while although though whether not no yes any some each every both either
        neither all most more less few many much several such own same other another ever never
        also too very just only even still again already almost quite rather maybe perhaps there
        here now soon later recently lately currently usually often sometimes always once ago
        thing things something anything nothing everything someone anyone everyone nobody tell
        told tells say said says saying show shows find found look give gives given get gets got
        please mention mentioned mentions discuss discussed describe explain let know knows knew
        want wants need needs remember recall remind like kind kinds type types sort sorts lot
        lots s t d ll re ve m don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn
        haven hadn happen happened happens likely unlikely probably possibly certainly""",
    "de": """der die das den dem des ein eine einer eines einem einen kein keine keinen ich mich
        mir mein meine meinen meiner meinem du dich dir dein deine deinen er ihn ihm sein seine
        seinen sie ihr ihre ihren ihrer es wir uns unser unsere ihnen euch euer man sich wer wen
        wem wessen was welche welcher welches welchen wann wo wohin woher warum wieso weshalb
        wie bin bist ist sind seid war waren warst gewesen habe hast hat haben hatte hatten
        gehabt werde wird werden wurde wurden worden kann kannst konnen konnte soll sollte muss
        musste will wollte darf durfte mag mochte in im an am auf aus bei beim mit nach von vom
        vor zu zum zur fur uber unter durch gegen ohne um bis seit wahrend wegen zwischen und
        oder aber denn sondern doch wenn falls ob dass weil als so auch noch schon nur sehr mehr
        viel viele etwas nichts alles jeder jede jedes nicht nein ja hier da dort dann jetzt
        bald spater neulich kurzlich immer oft manchmal nie mal gerade eben bitte sag sage sagte
        gesagt zeig zeige such finde gib erzahl erinnere dies diese dieser dieses diesem diesen
        jene jener ding dinge sache sachen
        wahrscheinlich vermutlich""",
    "fr": """le la les l un une des du de d au aux ce cet cette ces c je j me m moi mon ma mes
        tu te t toi ton ta tes il elle on se s lui son sa ses nous notre nos vous votre vos ils
        elles eux leur leurs qui que qu quoi dont ou quand comment pourquoi combien quel quelle
        quels quelles est es suis sommes etes sont etait etaient ete etre sera serait ai as a
        avons avez ont avait avaient avoir eu fait faire fais peut peux pouvait doit dois devait
        veut voulait dans sur sous en par pour avec sans vers chez entre depuis pendant avant
        apres contre et mais donc or ni car si comme ne n pas plus moins tres trop peu beaucoup
        aussi encore deja toujours jamais souvent parfois ici maintenant bientot recemment tout
        tous toute toutes rien chose choses quelque quelques chaque meme autre autres y dit dis
        dire montre trouve donne cherche rappelle svp parle
        probablement""",
    "es": """el la los las lo un una unos unas al del de yo me mi mis mio tu te ti tus usted
        ella ellos ellas se su sus le les nos nosotros nuestro nuestra os vosotros quien quienes
        que cual cuales cuando donde adonde como por porque cuanto cuantos cuanta es son soy
        eres somos era eran fue fueron ser sido siendo esta estan estoy estaba estaban estuvo he
        has ha hemos han habia haber hay hizo hace hacer hacia puede puedo pueden podia debe
        debo tiene tengo tenia quiere quiero a ante bajo con contra desde durante en entre hasta
        para segun sin sobre tras y e o u pero mas sino si no ni tambien muy mucho muchos poco
        todo todos toda todas nada algo alguien cada mismo otro otra otros este estos estas ese
        esa esos esas aquel aquella eso esto ya aun aqui alli ahora luego pronto recientemente
        siempre nunca veces dijo dice decir di dime muestra busca encuentra dame recuerda cosa
        cosas
        probablemente""",
    "pt": """o a os as um uma uns umas ao aos do da dos das no na nos nas pelo pela de eu me mim
        meu minha meus minhas tu te ti teu tua voce voces ele ela eles elas se seu sua seus suas
        lhe nosso nossa quem que qual quais quando onde aonde como por porque quanto quantos e
        sao sou somos era eram foi foram ser sido sendo esta estao estou estava estavam esteve
        tem tenho tinha tinham ter ha havia fez faz fazer pode posso podem podia deve devo quer
        quero com contra desde durante em entre ate para sem sob sobre apos antes depois ou mas
        nao nem tambem muito muitos pouco tudo todo todos toda todas nada algo alguem cada mesmo
        outro outra outros este estes estas esse essa isso isto aquele aquela aquilo ja ainda
        aqui ali agora logo recentemente sempre nunca disse diz dizer diga mostre procure
        encontre lembre coisa coisas
        provavelmente""",
    "it": """il lo la i gli le l un uno una di a da in con su per tra fra del dello della dei
        degli delle al allo alla ai agli alle dal dalla dai nel nella nei nelle sul sulla sui
        sulle io me mi mio mia miei mie tu te ti tuo tua lui lei noi ci nostro nostra voi vi
        vostro loro si suo sua suoi sue chi che cosa quale quali quando dove come perche quanto
        quanti e sono sei siamo siete era erano stato stata stati essere ho hai ha abbiamo avete
        hanno aveva avevano avere fatto fa fare puo posso possono deve devo vuole voglio ed o od
        ma pero se non ne anche molto molti poco tutto tutti tutta tutte niente nulla qualcosa
        qualcuno ogni stesso altro altra altri questo questa questi queste quello quella quelli
        gia ancora qui qua li ora adesso poi presto recentemente sempre mai spesso detto dice
        dire dimmi mostra trova cerca dammi ricorda cose
        probabilmente""",
    "nl": """de het een der den ik mij me mijn jij je jou jouw u uw hij hem zijn zij ze haar wij
        we ons onze jullie hun hen zich wie wat welke welk wanneer waar waarom hoe ben bent is
        waren was geweest heb hebt heeft hebben had hadden word wordt worden werd werden kan kon
        kunnen zal zou zullen zouden moet moest moeten wil wilde mag mocht doe doet deed in op
        aan uit bij met naar van voor tot te over onder door tegen zonder om sinds tijdens
        tussen na en of maar want als dan dat die dit deze omdat terwijl niet geen ja nee ook
        nog al alleen heel zeer meer veel iets niets alles elk elke ander andere zelf er hier
        daar nu straks later onlangs altijd vaak soms nooit eens even zeg zegt zei gezegd toon
        zoek vind geef vertel ding dingen
        waarschijnlijk""",
    "pl": """i a o w we z ze na do od po za u przy dla bez nad pod przed przez miedzy oraz lub
        albo ale lecz jednak czy zeby aby bo poniewaz gdy kiedy gdzie skad dokad jak jaki jaka
        jakie jakich ktory ktora ktore ktorego ktorej ktorych kto kogo komu kim co czego czemu
        czym dlaczego ile ja mnie mi mna moj moja moje mojego mojej ty ciebie ci toba twoj twoja
        twoje on ona ono jego jej go mu nim nia niej my nas nam nami nasz nasza nasze wy was wam
        wasz oni one ich im nimi sie siebie sobie swoj swoja swoje swojego ten ta to tego tej
        temu tym te tych tamten tamta tamto jest sa jestem jestes byl byla bylo byli byly byc
        bedzie beda bede mam ma maja mial miala mieli moze mozna moge mogl trzeba musi chce
        chcial nie tak tez takze juz jeszcze tylko bardzo wiecej mniej duzo malo cos nic
        wszystko wszyscy kazdy kazda inny inna inne sam sama tu tutaj tam teraz potem pozniej
        niedawno ostatnio zawsze czesto czasem nigdy powiedz mowil mowila powiedzial powiedziala
        pokaz znajdz szukaj daj przypomnij rzecz rzeczy prosze""",
    "cs": """a i o v ve z ze na do od po za u pri pro bez nad pod pred mezi nebo ale vsak jestli
        zda aby protoze kdyz kdy kde kam odkud jak jaky jaka jake ktery ktera ktere kdo koho
        komu kym co ceho cemu cim proc kolik ja me mne mi mnou muj moje ty tebe te ti on ona ono
        jeho jeji ho mu jim my nas nam nase vy vas vam oni ony jich se si sebe sve ten ta to
        toho tom tu tento tato toto je jsou jsem jsi byl byla bylo byli byt bude budou mam ma
        maji mel mela muze mohl musi chce chtel ne ano take jiz uz jeste jen velmi vice mene
        hodne neco nic vse vsechno kazdy jiny sam tady zde tam ted potom pozdeji nedavno vzdy
        casto nekdy nikdy rekni rekl rekla ukaz najdi dej vec veci prosim""",
    "ru": """и а но или в во на с со к ко о об от до из у за по под над при про без для через
        между перед после что чтобы если когда где куда откуда как какой какая какое какие каких
        который которая которое которые кто кого кому кем чего чему чем почему зачем сколько чей
        я меня мне мной мой моя мое мои ты тебя тебе твой твоя твое твои он она оно его ее ей им
        ним ней мы нас нам нами наш наша наше наши вы вас вам вами ваш ваша они их ими себя себе
        свой своя свое свои этот эта это эти этого этой тот та то те того той быть был была было
        были есть будет будут буду может могу можно мог надо нужно должен не ни нет да же ли бы
        вот тоже также уже еще только очень более больше меньше много мало что-то нибудь ничего
        все всё всех каждый другой другая сам сама тут здесь там тогда сейчас теперь потом позже
        недавно всегда часто иногда никогда скажи говорил говорила сказал сказала сказали покажи
        найди дай напомни вещь вещи пожалуйста""",
    "uk": """і й та а але або в у на з із зі до від за по під над при про без для через між
        перед після що щоб якщо коли де куди звідки як який яка яке які котрий хто кого кому ким
        чого чому чим навіщо скільки чий я мене мені мною мій моя моє мої ти тебе тобі твій твоя
        він вона воно його її їй йому ми нас нам нами наш наша наше ви вас вам ваш вони їх їм
        ними себе собі свій своя своє свої цей ця це ці цього цієї той те ті бути був була було
        були є буде будуть може можу можна треба потрібно не ні так же чи б би ось теж також вже
        ще лише тільки дуже більше менше багато мало щось нічого все всі кожен інший сам тут там
        тоді зараз тепер потім пізніше нещодавно завжди часто іноді ніколи скажи казав казала
        сказав сказала покажи знайди дай нагадай річ речі""",
    "sv": """en ett den det de dem jag mig min mitt mina du dig din ditt dina han honom hans hon
        henne hennes vi oss var vart vara ni er man sig sin sitt sina vem vems vad vilken vilket
        vilka nar varfor hur ar varit blir blev har hade ha kan kunde ska skulle maste vill
        ville far fick gor gjorde i pa av till fran med utan vid for om under over genom mot
        mellan efter fore sedan och eller men att som dar darfor eftersom inte nej ja ocksa an
        redan bara mycket mer nagot nagon inget allt alla varje annan samma nu da snart nyligen
        alltid ofta ibland aldrig sa sade sagt visa hitta ge beratta sak saker""",
    "da": """en et den det de dem jeg mig min mit mine du dig din dit han ham hans hun hende
        hendes vi os vores i jer man sig sin sit hvem hvis hvad hvilken hvilket hvilke hvornar
        hvor hvorfor hvordan er var vaeret bliver blev har havde have kan kunne skal skulle ma
        matte vil ville gor gjorde pa af til fra med uden ved for om under over gennem mod
        mellem efter og eller men at som der da fordi ikke nej ja ogsa endnu allerede kun meget
        mere noget nogen intet alt alle hver anden samme her nu snart nylig altid ofte nogle
        gange aldrig sagde sagt vis find giv fortael ting""",
    "no": """en ei et den det de dem jeg meg min mi mitt mine du deg din ditt han ham hans hun
        henne hennes vi oss var vart dere man seg sin sitt hvem hva hvilken hvilket hvilke nar
        hvor hvorfor hvordan er vaert blir ble har hadde ha kan kunne skal skulle ma matte vil
        ville gjor gjorde i pa av til fra med uten ved for om under over gjennom mot mellom
        etter og eller men at som der da fordi ikke nei ja ogsa enna allerede bare mye mer noe
        noen ingen alt alle hver annen samme her na snart nylig alltid ofte aldri sa sagt vis
        finn gi fortell ting""",
    "fi": """ja tai mutta etta jos kun koska vaan sekä eli mina minun minua minulle sina sinun
        han hanen se sen sita me meidan te teidan he heidan ne tama taman nama tuo tuon kuka
        kenen ketka mika minka mita missa mihin mista milloin miksi miten kuinka mikä mitkä on
        ovat olen olet oli olivat ollut olla ei en et eivat ole voi voin voisi pitaa piti saa
        sai oma jo viela vain myos hyvin paljon vahan kaikki jokin joku jotain mitaan jokainen
        toinen sama tassa siina taalla siella nyt sitten pian äskettäin aina usein joskus
        koskaan sano sanoi nayta etsi anna kerro muistuta asia asiat kanssa ilman ennen jalkeen""",
    "tr": """bir bu su o ben beni bana benim sen seni sana senin biz bizim siz sizin onlar onun
        ona onu onlarin kim kimin kime ne neyi neden nicin niye nasil nerede nereye nereden
        hangi hangisi kac kadar zaman mi mu midir var yok idi ise degil olan olarak oldu olur
        olmak eder etti ile ve veya ya da de ama fakat ancak cunku eger ki gibi icin gore dogru
        karsi sonra once beri uzerinde altinda icinde arasinda her tum butun bazi cok az daha en
        hic sey seyler herkes kimse diger ayni burada orada simdi bugunlerde yakinda gecenlerde
        hep sik bazen asla dedi soyle soyledi goster bul ver hatirlat lutfen""",
    "hu": """a az egy es vagy de hogy ha mert mint is nem ne igen en engem nekem enyem te teged
        neked o ot neki mi minket nekunk ti titeket ok oket nekik ki kit kinek mit minek milyen
        melyik mikor hol hova honnan miert hogyan mennyi hany van vannak vagyok volt voltak lesz
        lenne lehet kell tud tudja akar ez ezek azt ezt annak ennek itt ott most majd akkor mar
        meg csak nagyon tobb kevesebb sok valami valaki semmi minden masik ugyanaz mindig
        gyakran neha soha mondta mondd mutasd keresd add dolog dolgok kerlek nelkul elott utan
        alatt""",
    "ro": """un o unui unei al a ai ale lui cel cea cei cele eu ma mie meu mea mei mele tu te
        tie tau ta el ea ei ele il le isi se sau sa noi ne noastra nostru voi va cine ce care
        cui cand unde cum de cat cati este sunt e esti suntem era erau fost fi fie vor am are
        avem au avea face facut poate pot trebuie vrea in la pe cu fara din pentru prin despre
        sub intre dupa inainte spre catre si dar ca daca nu nici da mai foarte mult multi putin
        tot toate toti nimic ceva cineva fiecare alt alta altul acest aceasta acesti acela aia
        asta aici acolo acum atunci curand recent mereu des uneori niciodata spus spune arata
        gaseste lucru lucruri rog""",
    "id": """yang dan atau tetapi tapi di ke dari pada dengan tanpa untuk oleh dalam tentang
        antara sebelum sesudah setelah saat ketika jika kalau karena bahwa agar supaya saya aku
        kamu anda dia ia kami kita mereka nya ini itu siapa apa apakah mana kapan dimana kemana
        mengapa kenapa bagaimana berapa adalah ialah ada tidak bukan belum sudah telah sedang
        akan bisa dapat harus boleh mau ingin juga lagi masih hanya sangat lebih banyak sedikit
        semua setiap sesuatu hal sama lain sini sana sekarang nanti segera baru-baru selalu
        sering kadang pernah bilang kata katakan tunjukkan cari beri tolong""",
    "vi": """và hoặc nhưng mà thì là của cho với từ đến ở trong ngoài trên dưới trước sau khi
        nếu vì nên để bởi tôi tao mình bạn anh chị em nó họ chúng ta này kia đó đây ai gì nào
        đâu sao thế bao nhiêu mấy có không chưa đã đang sẽ được bị phải cần muốn cũng còn chỉ
        rất nhiều ít hơn mọi mỗi các những một cái việc bây giờ rồi luôn hay nói bảo hãy tìm xem""",
    "ar": """في من إلى الى على عن مع بعد قبل عند بين حتى منذ خلال بدون ضد حول و أو او ثم لكن بل
        أن ان إن لأن كي إذا اذا لو كما مثل هو هي هم هن أنا انا نحن أنت انت أنتم هذا هذه ذلك تلك
        هؤلاء الذي التي الذين ما ماذا متى أين اين كيف لماذا كم أي اي هل كان كانت كانوا يكون تكون
        ليس ليست قد لقد سوف لا لم لن نعم كل بعض غير أيضا ايضا جدا فقط أكثر أقل شيء هنا هناك الآن
        الان دائما أحيانا أبدا قال قالت قل أخبرني أرني ابحث أعطني ذكرني لي له لها لنا لهم به بها
        فيه فيها""",
    "fa": """و یا اما ولی که در از به با برای تا بر بدون پس پیش بعد قبل بین من تو او ما شما آنها
        این آن اینها کی چه چی کدام کجا چرا چگونه چطور چند آیا است هست هستند بود بودند باشد شد
        شده می را نه نیست بله هم نیز فقط خیلی بیشتر کمتر همه هر هیچ چیز اینجا آنجا الان اکنون
        همیشه گاهی هرگز گفت گفتم بگو نشان پیدا بده لطفا""",
    "he": """של את על אל מן עם בלי בין אחרי לפני עד כי אם או אבל גם רק לא כן אני אתה הוא היא
        אנחנו אתם הם הן לי לך לו לה לנו להם שלי שלך שלו שלה שלנו שלהם זה זאת זו אלה מי מה מתי
        איפה לאן מאין למה מדוע איך כמה איזה איזו האם היה הייתה היו יש אין להיות יכול צריך רוצה
        כל הרבה מעט מאוד עוד כבר עדיין משהו מישהו כלום פה שם כאן עכשיו אז תמיד לפעמים אף אמר
        אמרה תגיד הראה מצא תן דבר דברים""",
    "hi": """का की के को में से पर ने और या लेकिन तो भी ही कि जो जब जहाँ अगर क्योंकि मैं मुझे
        मेरा मेरी मेरे तू तुम आप आपका आपकी वह वे यह ये उस इस उन इन उसका उसकी उनका हम हमें हमारा
        हमारी कौन क्या कब कहाँ कैसे क्यों कितना कितने कौनसा किस किसने है हैं था थे थी हूँ हो
        होना हुआ हुई गया गई गए रहा रही रहे कर करना किया करते सकता सकते चाहिए नहीं न हाँ बहुत
        ज्यादा कम सब कुछ कोई हर दूसरा यहाँ वहाँ अब तब फिर अभी हमेशा कभी कहा बताओ बताया दिखाओ
        खोजो दो बात चीज़ लिए साथ बिना बाद पहले तक एक""",
    "el": """ο η το οι τα τον την του της των τους τις ένας μια μία ένα και ή αλλά όμως αν όταν
        που πως πώς ότι γιατί επειδή ώστε να θα δεν μην ναι όχι σε στο στη στην στον στα στις
        στους από με για χωρίς μετά πριν κατά μεταξύ εγώ εμένα μου εσύ σου αυτός αυτή αυτό εμείς
        μας εσείς σας αυτοί ποιος ποια ποιο ποιοι τι πότε πού πόσο πόσα είναι είμαι είσαι ήταν
        έχω έχει είχε έχουν μπορεί πρέπει θέλω θέλει πολύ πιο λίγο όλα όλοι κάτι κάποιος τίποτα
        κάθε άλλο ίδιο εδώ εκεί τώρα τότε πάντα συχνά ποτέ πες είπε δείξε βρες δώσε πράγμα
        πράγματα""",
    "zh": """的 了 是 在 我 你 您 他 她 它 我们 你们 他们 她们 咱们 这 那 这个 那个 这些 那些
        这里 那里 哪 哪个 哪些 哪里 哪儿 谁 什么 怎么 怎样 如何 为什么 为何 几 多少 何时
        什么时候 吗 呢 吧 啊 呀 嘛 和 与 及 或 或者 但 但是 而 而且 因为 所以 如果 虽然 就 都 也
        还 又 再 很 太 更 最 已 已经 曾 曾经 正在 会 能 能够 可以 可能 应该 需要 要 想 不 没
        没有 有 把 被 给 对 对于 关于 从 到 向 往 比 跟 同 于 以 之 其 个 一个 一些 一下 现在
        最近 以前 以后 刚才 刚刚 后来 总是 经常 有时 说 说过 讲 告诉 告诉我 请 请问 帮 帮我 找
        查 查找 显示 给我 提到 记得 提醒 东西 事情 這 那個 這個 這些 們 我們 你們 他們 嗎 什麼
        怎麼 為什麼 哪裡 誰 會 說 沒有 還 與 對 個 來 去 上 下 里 中""",
    "ja": """は が を に で と も の へ や か ね よ から まで より だけ など ので のに ため
        について とは では には です ます でした ました する した して いる いた ある あった
        なる なった れる られる ない なかった こと もの それ これ あれ その この あの どの ここ
        そこ あそこ どこ だれ 誰 何 なに なん いつ なぜ どう どうして どんな どれ いくつ いくら
        私 わたし 僕 ぼく 俺 あなた 彼 彼女 私たち 今 いま 最近 さっき 前 後 また まだ もう
        とても 教えて 教え 言って 言った 言う 話した 話し 見せて 探して ください 下さい 覚えて""",
    "ko": """은 는 이 가 을 를 의 에 에서 에게 께 와 과 도 로 으로 만 부터 까지 보다 처럼 그리고
        그러나 하지만 또는 그래서 만약 나 내 나는 내가 저 제 저는 제가 너 너의 네 당신 그 그는
        그가 그녀 우리 우리는 저희 그들 이것 그것 저것 이런 그런 저런 여기 거기 저기 누구 누가
        무엇 뭐 무슨 뭘 언제 어디 어디서 왜 어떻게 어떤 어느 얼마 몇 있다 있는 있었다 있어 없다
        없는 이다 입니다 이었다 였다 하다 하는 했다 했어 한 할 해 되다 됐다 된 안 못 아니 예 더
        매우 아주 너무 많이 조금 모두 다 각 다른 같은 지금 나중에 최근 최근에 항상 자주 가끔 말
        말했다 말했어 말해 말한 알려줘 보여줘 찾아줘 찾아 해줘 줘 것 거 때 수 좀""",
    "th": """และ หรือ แต่ ที่ ของ ใน จาก กับ โดย เพื่อ ถ้า เมื่อ เพราะ ว่า ฉัน ผม คุณ เขา เธอ
        เรา พวกเขา มัน นี้ นั้น ใคร อะไร เมื่อไหร่ ที่ไหน ทำไม อย่างไร เท่าไหร่ ไหน เป็น อยู่
        คือ มี ไม่ ได้ ให้ จะ แล้ว ยัง ก็ มาก ทุก ตอนนี้ บอก พูด แสดง หา ขอ""",
}

LANGUAGES = tuple(_LISTS)
SAMPLE = 14  # the lists begin with what hardly a text can do without


@cache
def stop_words(language: str) -> frozenset[str]:
    """The folded stop words of a language (ISO 639-1); empty for one we have no list of."""
    words = _LISTS.get(language, "").split()
    if language == "en":  # nearly all of it is ASCII, and it is read with every question
        return frozenset(words)
    return frozenset(fold(" ".join(words)).split())


@cache
def languages_by_word() -> dict[str, tuple[str, ...]]:
    """For every stop word the languages that have it."""
    found: dict[str, list[str]] = {}
    for language in LANGUAGES:
        for word in stop_words(language):
            found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}


def telling_words(language: str) -> list[str]:
    """Words that tell of a language when a text has many: hardly another has them; folded."""
    known = languages_by_word()
    words = (fold(word) for word in _LISTS.get(language, "").split()[:SAMPLE])
    return [word for word in words if len(known[word]) <= 2 and (word[1:] or not word.isascii())]
