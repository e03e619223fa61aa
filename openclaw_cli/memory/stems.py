"""Which words are forms of one another, without a dictionary (``memory.md`` 12.20).

Two folded words are forms of one word in a language when they share a stem and what
follows it in each is an ending of that language (or nothing). The index keeps words as
they are; a question asks which indexed words are forms of its own, so no language has to
be guessed when notes are read.
"""

from __future__ import annotations

from functools import cache

SHORTEST_STEM = 3

# Endings, folded. The empty ending belongs to every language.
_ENDINGS: dict[str, str] = {
    "en": """s es ed d ing er ers est ly y ies ied ier iest e al ally ion ions ation ations ment
        ments ness ful fully less able ably ible ive ively ity ous ously ist ists ism ize ized
        izing izes ise ised ising ises or ors ence ance ent ant ic ical ically en ened ening ens
        eer eers eering eered ship hood ial ual ate ated ates ating ator in""",
    "de": """e en er es em n s t st te ten ter tes tem test est et ete eten end ende enden ender
        endes ung ungen heit heiten keit keiten lich liche lichen licher liches ig ige igen iger
        iges isch ische ischen ischer in innen nis nisse chen lein bar los sam ieren iert ierte
        ern eln elt""",
    "fr": """s e es x aux al ale ales er ez ee ees ent ant ante ants antes ait aient ais ions iez
        ons a ai as ant erai era eront erait ir i is it ie ies issent isse ment ement tion tions
        ation ations eur eurs euse euses rice if ive ifs ives ite ites eux aire aires ique iques
        iste istes able ables ance ence""",
    "es": """s es o a os as e ar er ir o as a amos ais an e es emos en aba abas aban ia ias ian
        iamos ando iendo ado ada ados adas ido ida idos idas aste o aron ieron ara eras aran are
        aremos aria arian er era eran ire ira iria io ito ita itos itas cion ciones mente dad
        dades or ora ores oras ista istas able ibles able ico ica icos icas oso osa osos osas
        z ces""",
    "pt": """s es o a os as e ar er ir amos am em emos en ava avam ia iam ando endo indo ado ada
        ados adas ido ida idos idas ou aram eram iram ara era ira aria iu ei cao coes oes ao aos
        mente dade dades or ora ores oras ista istas avel aveis ivel ico ica icos icas oso osa
        osos osas inho inha inhos inhas l is""",
    "it": """o a i e io ia ie are ere ire ano ono iamo ate ete ite ava avano eva evano iva ivano
        ando endo ato ata ati ate uto uta uti ute ito ita iti ite ai o arono era erano ara aranno
        erei zione zioni mente ta tore tori trice trici ista isti iste ico ica ici iche oso osa
        osi ose abile abili ino ina ini ine etto etta etti ette hi he""",
    "nl": """e en s t d de den te ten er ers ster sters je jes tje tjes ing ingen heid heden lijk
        lijke ig ige isch ische baar loos schap end ende est""",
    "pl": """a y i e o u ie em am ami ach om ow owi owie owi ym im ymi imi ego emu ej iej ych ich
        ia ii iu iem iom iami iach ja je ac ec ic yc al ala ali aly alo il ila ili ily ilo yl yla
        yli yly ylo ze asz ysz isz amy emy imy ymy acie ecie icie ycie aja uje uja owac owal
        owala ujac acy aca ace any ana ane ani ano ony ona one eni ono nie nia niu niem nik nika
        nikow ka ki ke ku ko ek eczka osc osci sz szy sza sze czny czna czne ny na ne ni nego nej
        ski ska skie skiego skiej ca cy ce""",
    "cs": """a y i e o u e em am ami ach um ich ech ove ovi ou im ym ymi imi eho emu ho mu eji ej
        ych at et it al ala ali aly alo il ila ili ily ilo el ela eli ely elo am as ame ate aji im
        is ime ite uje uji uju ovat oval ovala an ana ano any en ena eno eny ani eni osti ost nik
        ka ky ce ku ko cek ny na ne ni neho sky ska ske skeho""",
    "ru": """а я о е и ы у ю ой ей ом ем ам ям ами ями ах ях ов ев еи ии ие ия ию иеи иями иях ью
        ыи ая ое ые ого его ому ему ым им ых их ую юю ои еи ть ти л ла ло ли ал ала али ил ила или
        ел ела ели ет ит ут ют ат ят ешь ишь ем им ете ите у ю ть ся сь тся лся лась лись ется ится
        ться нныи нная нное нные ныи ная ное ные ного нои ость ости ник ника ников ки ка ку кои
        ка ок ка к ане ение ения ании ание ания ает ают ать ует уют овать овал""",
    "uk": """а я о е и і ї у ю ою ею ом ем ам ям ами ями ах ях ів їв ей ию ія ії ією ий ии а є іи
        ого ього ому ьому им ім их іх ую ій ти в ла ло ли ав ала али ив ила или є ить ють ать ять
        еш иш емо имо ете ите ся сь ться вся лася лися ний на не ні ного ної ість ості ник ника ки
        ка ку кою ення ання ає ають ати ує ують увати ував""",
    "sv": """a ar er or n en et na ar ars arna erna orna s t e as es de te ade at ad ande ende it
        ig iga igt lig liga ligt het heten heter ning ningar ningen are arna ast aste ska skt sk""",
    "da": """e r er en et ne erne ernes s t te de ede et t ende ig ige igt lig lige ligt hed heden
        ning ningen ninger else elser ere est este isk iske""",
    "no": """e r a er en et ene ne s t te de et dde ende ig ige lig lige het heten ning ningen
        ninger else elser ere est este isk iske""",
    "fi": """a n t i ta ssa sta na ksi lla lta lle tta in en an on un yn iin ien jen ten den ista
        issa illa ille ilta ina iksi ia ja jat ni si nsa mme nne ko kin kaan han vat mme tte nut
        neet tu ty ttiin taan aan i isi e et inen isen ista iset us uden uus uuden""",
    "tr": """i u a e yi yu ya ye n in un nin nun da de ta te dan den tan ten la le yla yle lar ler
        lari leri larin lerin lara lere larda lerde lardan lerden m im um miz imiz umuz niz iniz si
        su sini sinin sina sinda ki di du ti tu dim dum din dik duk diler ecek acak ecegi acagi iyor
        uyor iyorum mis mus er ar ir ur r mek mak me ma mesi masi li lu siz suz lik luk ligi lugu ci
        cu ca ce""",
    "hu": """t at et ot ok ek ak k nak nek val vel ban ben bol rol tol ba be ra re hoz hez on en an
        n ig ert kent ul ul ja je i a e ai ei jai jei om em am od ed ad unk juk ank ni tam tem ott
        ett t tak tek na ne s os es as i sag seg""",
    "ro": """a e i u l le ul ului ii ilor elor lor ea ei ele ia iei oara uri urile urilor at ata ati
        ate it ita iti ite ut uta uti ute am ai au eaza esc este esti im iti and ind are ere ire
        atie atii tate tati ist iste ism ic ica ici ice os oasa osi""",
    "id": """nya lah kah ku mu an kan i""",
    "ar": """ه ها هم هن نا ي ك كم ت ات ون ين ان ا وا يه""",
    "he": """ים ות ה י ך ו נו כם הם ית יים ת""",
    "fa": """ها های هایی ی ان ات م ت ش مان تان شان تر ترین""",
    "hi": """ा ी े ों ो ें ियाँ ियां ियों ाएँ ना ने नी ता ते ती या ये यी ई ए""",
    "el": """α ας ες ων ου ους ο ος οι η ης ηδες ι ια ιο ιων ε ω εις ει ουμε ετε ουν αμε ατε αν σα
        σε σω θηκε ται μαι μενος μενη μενο τικος τικη τικο""",
}

# Letters that some languages put before a word: articles and prepositions written together.
_PREFIXES: dict[str, str] = {
    "ar": "ال وال بال كال فال لل و ب ل ف",
    "he": "ה ו ב ל מ ש כ וה שה מה",
}

# English forms that no ending explains; each line is one word.
_IRREGULAR = """be is are was were been
go goes went gone going
buy buys bought buying
bring brings brought bringing
think thinks thought thinking
catch caught
teach teaches taught teacher teaching
seek sought
fight fought fighting
feel feels felt feeling feelings
keep keeps kept keeping
leave leaves left leaving
lose loses lost losing loss
meet meets met meeting meetings
sell sells sold selling sale
send sends sent sending
spend spends spent spending
build builds built building
sleep sleeps slept sleeping
sit sat sitting
stand stood standing
hold held holding
hear hears heard hearing
make makes made making
take takes took taken taking
give gives gave given giving
get gets got gotten getting
begin begins began begun beginning
break breaks broke broken breaking
choose chooses chose chosen choosing choice
come comes came coming
become became becoming
drive drives drove driven driving
drink drank drunk drinking
eat eats ate eaten eating
fall fell fallen falling
fly flew flown flight
forget forgot forgotten
freeze froze frozen
grow grew grown growing growth
hide hid hidden
hurt hurts hurting
know knew known knowledge
lead led leading
lie lay lain
mean meant meaning
pay paid pays paying payment
read reads reading
ride rode ridden riding
ring rang rung
rise rose risen
run runs ran running runner
say says said
see sees saw seen seeing
shake shook shaken
shine shone
shoot shot shooting
sing sings sang sung singing singer song
speak spoke spoken speaking speech
steal stole stolen
swim swims swam swum swimming
tell told telling
throw threw thrown throwing
wake woke woken
wear wore worn wearing
win wins won winning winner
write writes wrote written writing writer
draw drew drawn drawing drawings
find found finding
have has had having
do does did done doing
die died dying death
child children kid kids
man men
woman women
person people
foot feet
tooth teeth
mouse mice
wife wives
life lives
knife knives
half halves
leaf leaves
bike bicycle bikes biking
photo photos photograph photographs photography
phone telephone phones"""


@cache
def endings(language: str) -> frozenset[str]:
    """The endings of a language, the empty one included."""
    return frozenset(_ENDINGS.get(language, "").split()) | {""}


def has_endings(language: str) -> bool:
    """Whether a language's words change their endings as far as we know."""
    return language in _ENDINGS


def are_forms(one: str, other: str, language: str) -> bool:
    """Whether two folded words are forms of the same word in ``language``."""
    if one == other:
        return True
    known = endings(language)
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    for cut in range(shared, SHORTEST_STEM - 1, -1):
        rest_one, rest_other = one[cut:], other[cut:]
        if _fits(rest_one, one[cut - 1], known) and _fits(rest_other, other[cut - 1], known):
            # A short stem must carry most of the shorter word, or "par" is "party".
            return cut >= SHORTEST_STEM + 1 or min(len(rest_one), len(rest_other)) <= 1
    return False


def prefixes(language: str) -> list[str]:
    """The letters that ``language`` may put before a word and write together with it."""
    return _PREFIXES.get(language, "").split()


def without_prefixes(word: str, language: str) -> list[str]:
    """``word`` without the letters that ``language`` may put before it; at least itself."""
    stripped = [
        word[len(prefix) :]
        for prefix in prefixes(language)
        if word.startswith(prefix) and len(word) - len(prefix) >= SHORTEST_STEM
    ]
    return [word, *stripped]


@cache
def irregular_forms() -> dict[str, frozenset[str]]:
    """English words whose forms no ending explains, each with all forms."""
    found: dict[str, frozenset[str]] = {}
    for line in _IRREGULAR.splitlines():
        forms = frozenset(line.split())
        for word in forms:
            found[word] = found.get(word, frozenset()) | forms
    return found


def _fits(rest: str, last: str, known: frozenset[str]) -> bool:
    """Whether ``rest`` is an ending, a doubled consonant before one allowed (``run|ning``)."""
    return rest in known or (len(rest) > 2 and rest[0] == last and rest[1:] in known)
