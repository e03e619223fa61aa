"""The forms of secrets and personal data, as data (``dreaming.md`` 3.4.1).

A form is tried only where one of its needles occurs, and compiled on its first use, so that
harmless text costs a few substring tests. What a form alone cannot tell is decided by a sum
(cards, bank accounts), by the number of digits (phones), or by the look of the value (what
follows "the password is").
"""

from __future__ import annotations

import re
from collections.abc import Callable

from openclaw_cli.state.tuples import NamedTuple

MASK = "***"


class Form(NamedTuple):
    """Where any of ``needles`` occurs (lower case), ``find`` is replaced."""

    needles: tuple[str, ...]
    find: str
    replace: Callable[[re.Match[str]], str]
    flags: int


# How a match is masked


def mask_whole(_match: re.Match[str]) -> str:
    """Nothing of the match stays."""
    return MASK


def mask_last_group(match: re.Match[str]) -> str:
    """The match with its last non-empty group masked, or masked whole when it has none."""
    for number in range(match.re.groups, 0, -1):
        if match.group(number):
            return _with_mask(match, *match.span(number))
    return MASK


def mask_value(match: re.Match[str]) -> str:
    """The group ``value`` is masked; a shell reference (``$NAME``) is none and stays."""
    value = match["value"].strip("\"'`")
    if (
        not value
        or value.startswith(MASK)
        or re.fullmatch(r"\$\{?[A-Za-z_]\w*\}?|%[A-Za-z_]\w*%", value)
    ):
        return match.group()
    return _with_mask(match, *match.span("value"))


def mask_odd_value(match: re.Match[str]) -> str:
    """As ``mask_value`` when the value looks made up, not like a word of the sentence."""
    value = match["value"].rstrip(".,;!?…")
    odd = (
        value[:1] in tuple("\"'`“„«")
        or any(not ch.isalpha() for ch in value.strip("-"))
        or not (value.islower() or value.istitle() or value.isupper())
    )
    if len(value) < 4 or not odd or value.startswith(MASK):
        return match.group()
    start = match.start("value")
    return _with_mask(match, start, start + len(value))


def mask_card(match: re.Match[str]) -> str:
    """Digits that pass the check sum of payment cards are masked."""
    digits = [int(ch) for ch in match.group() if ch.isdigit()]
    doubled = [d if i % 2 == 0 else sum(divmod(2 * d, 10)) for i, d in enumerate(digits[::-1])]
    valid = 13 <= len(digits) <= 19 and len(set(digits)) > 1 and sum(doubled) % 10 == 0
    return MASK if valid else match.group()


def mask_iban(match: re.Match[str]) -> str:
    """A bank account number is masked; words in capitals that follow it are not its part."""
    text = match.group()
    for end in sorted((found.start() for found in re.finditer(r"[ -]|$", text)), reverse=True):
        compact = re.sub(r"[ -]", "", text[:end]).upper()
        if 15 <= len(compact) <= 34:
            number = "".join(str(int(ch, 36)) for ch in compact[4:] + compact[:4])
            if int(number) % 97 == 1:
                return MASK + text[end:]
    return text


def mask_phone(match: re.Match[str]) -> str:
    """A number of a phone's length is masked unless it reads as a date or a round amount."""
    text = match.group()
    digits = sum(ch.isdigit() for ch in text)
    date = r"(?<!\d)\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})(?!\d)|(?:19|20)\d\d-\d\d-\d\d"
    if text.endswith("000") or not 7 <= digits <= 15 or re.search(date, text):
        return text
    return MASK


def mask_named_phone(match: re.Match[str]) -> str:
    """The number after a word for a phone is masked from six digits on."""
    digits = sum(ch.isdigit() for ch in match["value"])
    return _with_mask(match, *match.span("value")) if digits >= 6 else match.group()


def _with_mask(match: re.Match[str], start: int, end: int) -> str:
    base = match.start()
    return match.group()[: start - base] + MASK + match.group()[end - base :]


def _form(
    needles: str,
    find: str,
    replace: Callable[[re.Match[str]], str] = mask_whole,
    *,
    exact_case: bool = False,
) -> Form:
    return Form(tuple(needles.split()), find, replace, 0 if exact_case else re.IGNORECASE)


# Words

_VALUE = r"""(?P<value> "[^"]*" | '[^']*' | `[^`]*` | [^\s"'`,;&<>]+ )"""
_FIELD = r"""(?: [\w-]{0,40} (?: api[-_]?key | access[-_]?key | private[-_]?key | token | secret
    | passw(?:or)?d | passphrase | credential | auth[-_]?code | session[-_]?(?:id|key)
    | card[-_]?number | cvv2? | cvc | iban | account[-_]?number | security[-_]?code ) )"""
_FIELD_NEEDLES = """apikey api-key api_key access private token secret passw passphrase credential
    auth session card cvv cvc iban account security"""
_ENTRY_WORD = r"""(?: pass(?:word|wd|code|phrase) | pwd | pw | kennwort | pass?wort | wachtwoord
    | hasło | haslo | contraseña | contrasena | clave | senha | mot\ de\ passe | lösenord
    | adgangskode | passord | salasana | heslo | jelszó | parola | пароль | 密码 | 密碼
    | パスワード | 暗証番号 | 비밀번호 | 암호 | كلمة\ المرور | סיסמה )"""
_ENTRY_NEEDLES = """passw passc passp pasw pwd pw kennwort wachtwoord hasło haslo contrase clave
    senha passe lösenord adgangskode passord salasana heslo jelszó parola пароль 密码 密碼
    パスワード 暗証番号 비밀번호 암호 المرور סיסמה"""
_IS = r"(?: is | was | ist | lautet | war | jest | to | est | es | é | är | er )"
_CODE_WORD = r"""(?: pins? | puk | tan | cvv2? | cvc | otp | passcode | (?: door | gate | alarm
    | safe | access | security | entry | verification | confirmation | lock | login | backup
    | recovery | one[- ]time | 2fa | mfa | sms | key(?:box|pad) | tür | tor
    | zugangs | sicherheits )
    [- ]? (?: pin | code | kode | nummer ) s? )"""
_PHONE_WORD = r"""(?: tel(?:e(?:phone|fon|fono|foon))?\.? | tél\.? | phone | mobile? | cell | handy
    | fax | whatsapp | rufnummer | komórka | móvil | celular | number | nummer | numer | 电话 | 手机
    | 電話 | 携帯 | 전화 | 휴대폰 )"""
_PHONE_NEEDLES = """tel phone mobil cell handy fax whatsapp rufnummer komórka móvil celular number
    nummer numer tél 电话 手机 電話 携帯 전화 휴대폰"""
_IPV4 = r"(?:\d{1,3}\.){3}\d{1,3}"
_KEY_BLOCK = r"[A-Z0-9\ ]* PRIVATE\ KEY (?:\ BLOCK)? -----"

SECRETS: tuple[Form, ...] = (
    _form(
        "-----begin",
        rf"(?s:-----BEGIN\ {_KEY_BLOCK} .*? (?: -----END\ {_KEY_BLOCK} | \Z ))",
    ),
    # user:password@address, and the part before @ in any URL
    _form(
        "@",
        r"""(?<![\w.]) [^\s/:@"'<>]{1,64} : [^\s/@"'<>]{1,128} @"""
        rf" (?: {_IPV4} | \[[0-9a-f:.]+\] )",
    ),
    _form("://", r"""(?<=://) (?P<value> [^\s/@"'<>]{1,200} ) (?=@)""", mask_value),
    # LAB_TOKEN=..., API_KEY: ...
    _form(
        "key token secret passw card cvv cvc iban pin",
        r"\b [A-Z][A-Z0-9_]{0,60} (?: KEY | TOKEN | SECRET | PASSWORD | PASSWD | CARD | CARD_NUMBER"
        r" | CVV | CVC | IBAN | PIN ) \s*[=:]\s* " + _VALUE,
        mask_value,
        exact_case=True,
    ),
    _form(
        "authorization",
        r"""\b (?:proxy-)? authorization ["']? \s*[:=]\s* ["']?
        (?: (?: bearer | basic | digest | token ) \s+ )? (?P<value> [^\s"',;]+ )""",
        mask_value,
    ),
    _form("cookie", r"""\b (?:set-)? cookie2? ["']? \s*:\s* (?P<value> [^"'\n]+ )""", mask_value),
    _form(
        "api-key apikey auth-token access-token csrf",
        r"""\b x?-? (?: api-?key | auth-token | access-token | csrf-token ) ["']? \s*:\s* ["']? """
        + _VALUE,
        mask_value,
    ),
    _form("bearer", r"\b bearer \s+ (?P<value> [A-Za-z0-9._~+/=-]{18,} )", mask_value),
    _form("--", rf"(?<!\w) --? {_FIELD} (?: \s*=\s* | \s+ ) {_VALUE}", mask_value),
    _form(
        _FIELD_NEEDLES,
        rf"""(?<![\w$-]) ["']? {_FIELD} ["']? \s* (?: = | : | %3D ) \s* {_VALUE}""",
        mask_value,
    ),
    _form(
        "?",
        r"""[?&] [\w.-]{0,40} (?: key | token | secret | sig | signature | passw(?:or)?d | pwd
        | auth | credential | code ) = (?P<value> [^&\#\s"'<>]+ )""",
        mask_value,
    ),
    _form(
        "seed recovery mnemonic passphrase wiederherstellung",
        r"""\b (?: seed | recovery | mnemonic | backup | wiederherstellungs ) [- ]?
        (?: phrase | words? | wörter ) (?: \s+ (?: is | are | ist | lautet ) )? \s*[:=]?\s*
        (?P<value> [^.;\n]{12,} )""",
        mask_value,
    ),
    # "the wifi password: ...", and "... is ..." where the value does not read as a word
    _form(
        _ENTRY_NEEDLES,
        rf"(?<![\w-]) [\w-]{{0,20}} {_ENTRY_WORD} \w{{0,3}} (?: \s+ \w+ ){{0,3}}?"
        rf" \s*[:=→：]\s* {_VALUE}",
        mask_value,
    ),
    _form(
        _ENTRY_NEEDLES,
        rf"""(?<![\w-]) [\w-]{{0,20}} {_ENTRY_WORD} \w{{0,3}} (?: \s+ [^\W\d_]+ ){{0,5}}?
        \s+ {_IS} \s+
        (?P<value> ["'`“„«] [^"'`”“»]+ ["'`”“»] | \S+ )""",
        mask_odd_value,
    ),
    _form(
        "login user benutzer credential zugangsdaten account",
        r"""\b (?: logins? | user(?:name)? | benutzer(?:name)? | credentials? | zugangsdaten
        | account ) \s* (?: is | are | ist | sind )? \s*[:=]?\s+ \S{2,40} \s*/\s*
        (?P<value> [^\s,;]{4,} )""",
        mask_odd_value,
    ),
    _form(
        "pin puk tan cvv cvc otp passcode code kode nummer",
        rf"""(?<!\w) {_CODE_WORD} (?: \s+ [^\W\d_]+ ){{0,4}}? \s*[:=\#]?\s*
        (?P<value> \d [\d\ -]{{2,9}} \d ) (?!\w)""",
        mask_value,
    ),
    # Prefixes of well-known issuers
    _form(
        "sk- sk_ rk_",
        r"\b (?: sk-[A-Za-z0-9_-]{8,} | [sr]k_(?:live|test)_[A-Za-z0-9]{8,} )",
        exact_case=True,
    ),
    _form(
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"\b (?: gh[pousr]_[A-Za-z0-9]{16,} | github_pat_[A-Za-z0-9_]{20,} )",
        exact_case=True,
    ),
    _form(
        "glpat- hf_ r8_ npm_ gsk_ pplx-",
        r"\b (?: glpat- | hf_ | r8_ | npm_ | gsk_ | pplx- ) [A-Za-z0-9_-]{10,}",
    ),
    _form("xox xapp-", r"\b (?: xox[a-z]- | xapp- ) [A-Za-z0-9-]{10,}"),
    _form(
        "aiza ya29. 1//0",
        r"(?<!\w) (?: AIza[\w-]{20,} | ya29\.[\w-]{16,} | 1//0[\w-]{20,} )",
        exact_case=True,
    ),
    _form(
        "eyj",
        r"\b eyJ[A-Za-z0-9_-]{8,} \. [A-Za-z0-9_-]{8,} (?: \. [A-Za-z0-9_-]* )?",
        exact_case=True,
    ),
    _form(
        "akia asia ltai akid",
        r"\b (?: (?:AKIA|ASIA)[A-Z0-9]{16} | LTAI\w{10,} | AKID\w{10,} ) \b",
        exact_case=True,
    ),
    _form(
        "whsec_ shpat_ sg. dop_v1_",
        r"\b (?: whsec_ | shpat_ | SG\. | dop_v1_ ) [A-Za-z0-9._-]{16,}",
        exact_case=True,
    ),
    _form("age-secret-key-", r"\b AGE-SECRET-KEY-1[A-Z0-9]+"),
    _form("/services/ webhooks/", r"(?: (?<=/services/) | (?<=webhooks/) ) [\w/-]{20,}"),
    _form(":", r"(?<![\w:]) \d{6,} : [A-Za-z0-9_-]{20,}"),  # a bot's token
)

_DIGITS = "0 1 2 3 4 5 6 7 8 9"
_STANDS_ALONE = r"(?<![\w.,:+/-])"

PERSONAL: tuple[Form, ...] = (
    _form("@", r"""[^\s<>()\[\]"',;:@|=]{1,64} @ [A-Za-z0-9-]+ (?: \.[A-Za-z0-9-]+ )+"""),
    _form(
        _DIGITS,
        r"(?<![A-Za-z0-9]) [A-Z]{2}\d{2} (?: [\ -]? [A-Z0-9]{2,4} ){3,9} (?![A-Za-z0-9])",
        mask_iban,
        exact_case=True,
    ),
    _form(_DIGITS, r"(?<![\w.+-]) [2-6]\d{3} (?: [\ -]? \d ){9,15} (?![\w-])", mask_card),
    _form("+", r"(?<![\w+]) \+\d [\d\ ()./-]{5,20} \d (?!\w)", mask_phone),
    _form(
        "00", rf"{_STANDS_ALONE} 00[1-9]\d? [\ ()./-]? \d [\d\ ()./-]{{5,16}} \d (?!\w)", mask_phone
    ),
    _form(
        "0",
        rf"{_STANDS_ALONE} \(?0\d{{1,5}}\)? [\ /.-]{{1,3}} \d [\d\ /.-]{{3,12}} \d (?![\w:%])",
        mask_phone,
    ),
    _form("0", rf"{_STANDS_ALONE} 0\d{{9,10}} (?![\w:%-])", mask_phone),
    _form(
        _DIGITS,
        rf"{_STANDS_ALONE} (?: 1[-.\ ] )? (?: \(\d{{3}}\)\ ? | \d{{3}}[-.\ ] )"
        r" \d{3} [-.\ ] \d{4} (?![\w-])",
        mask_phone,
    ),
    _form(
        _DIGITS,
        rf"{_STANDS_ALONE} [4-8]\d{{2}} (?P<gap>[\ -]) \d{{3}} (?P=gap) \d{{3}} (?![\w-] | \ \d)",
        mask_phone,
    ),
    _form("1", rf"{_STANDS_ALONE} 1[3-9]\d{{9}} (?![\w-])", mask_phone),
    _form(
        _PHONE_NEEDLES,
        rf"\b {_PHONE_WORD} [\ .:=\#：]{{1,3}} (?P<value> \d [\d\ ()./-]{{4,16}} \d ) (?!\w)",
        mask_named_phone,
    ),
)

ADDRESSES: tuple[Form, ...] = (
    _form(".", rf"(?<![\w.]) {_IPV4} (?![\w.]\d)"),
    _form(
        ":",
        r"(?<![\w:]) (?: (?: [0-9a-f]{1,4}: ){3,7} [0-9a-f]{1,4}"
        r" | (?: [0-9a-f]{1,4}: ){0,6} :(?: [0-9a-f]{1,4}:? ){1,6} ) (?![\w:])",
    ),
)
