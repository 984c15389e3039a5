/**
 * Secrets and identities in sentences: what must be found. All are made here from the published formats and the ranges that are
 * kept for examples; none is anybody's.
 */
import { madeSample, randomOf } from '../scanners/made-sample.ts'
import { cardNumber, ibanOf, inFours, residentId } from './numbers.ts'
import { type Language, languages, sentences } from './sentences.ts'

export interface Positive {
  /** For the table. */
  readonly kind: string
  readonly language: Language
  readonly text: string
  /** None of it may go out. */
  readonly secret: string
}

const random = randomOf(20_261)
const made = (format: string): string => madeSample(format, random)

function inSentences(
  kind: string,
  subject: keyof typeof sentences,
  things: readonly string[],
): readonly Positive[] {
  return things.map((secret, n) => {
    const language = languages[n % languages.length] ?? 'en'
    return {
      kind,
      language,
      secret,
      text: sentences[subject][language].replace('{}', () => secret),
    }
  })
}

/** Issuers whose tokens stand for themselves. */
const tokens = [
  'AKIA{A16}',
  'ghp_{p36}',
  'glpat-{w20}',
  'xoxb-{d12}-{d12}-{p24}',
  'sk_live_{p24}',
  'sk-ant-api03-{w93}AA',
  'sk-proj-{w40}',
  'AIza{w35}',
  'npm_{p36}',
  'pypi-AgEIcHlwaS5vcmc{w70}',
  'SG.{w22}.{w43}',
  'SK{h32}',
  '{d10}:AA{w33}',
  'dop_v1_{h64}',
  'hf_{l34}',
  'dapi{h32}',
  'shpat_{h32}',
  'sq0csp-{w43}',
  '{h32}-us12',
  'hvs.{w95}',
  'ATATT3{w186}',
  'lin_api_{p40}',
  'ntn_{d11}{p35}',
  'pat{p14}.{h64}',
  'sbp_{h40}',
  'PMAK-{h24}-{h34}',
  'glsa_{p32}_{h8}',
  'gsk_{p52}',
  'pplx-{p48}',
  'r8_{p37}',
  'ya29.{w120}',
  '{p3}8Q~{p34}',
  'LTAI{p20}',
  'AKID{p32}',
  'dckr_pat_{w27}',
  '{p14}.atlasv1.{w65}',
  'figd_{w43}',
  'sntryu_{h64}',
  'A3-{A6}-{A11}-{A5}-{A5}-{A5}',
  'tskey-auth-{p16}-{p32}',
  'cfut_{p40}{h8}',
  'vcp_{p24}',
  'lsv2_pt_{h32}_{h10}',
  'pul-{h40}',
  'rubygems_{h48}',
  'tvly-{p32}',
  'eyJ{p30}.eyJ{p60}.{w43}',
  'bce-v3/ALTAK-{p21}/{h40}',
  'pdl_live_apikey_{a26}_{p22}_{p3}',
  'pdl_sdbx_apikey_{a26}_{p22}_{p3}',
  'pat-na1-{uuid}',
  'pat-eu1-{uuid}',
  'sqp_{h40}',
  'sqa_{h40}',
  'squ_{h40}',
  'CCIPRJ_{p22}_{h40}',
  'hcaik_{a58}',
  'cio{p32}',
  'access_token$production${a16}${h32}',
  'access_token$sandbox${a16}${h32}',
  '{p52}JQQJ99{p18}AZDO{p4}',
  '{p52}JQQJ99BFACYeBjFXJ3w3AAAAACOG{p4}',
  'dt0s02.{A8}.{A64}',
  'vk1.a.{w198}',
  'y0_{w55}',
  'polar_oat_{p43}',
  'dose{h32}',
]

/** Passwords where people write them. */
const passwords: readonly (readonly [Language, string])[] = [
  ['en', 'The password is ⟦{p10}⟧, change it after the first login.'],
  ['en', 'The password for the staging server is ⟦{p12}⟧.'],
  ['en', 'Log in as admin with the password ⟦{p12}⟧ and look around.'],
  ['en', 'The root password has been set to ⟦{p11}!⟧ by the installer.'],
  ['zh', '密码是⟦{p10}⟧。'],
  ['zh', '数据库的登录密码：⟦{p12}⟧，请妥善保管。'],
  ['zh', '密码已改为⟦{p11}⟧'],
  ['zh', '请用密码⟦{p12}⟧登录。'],
  ['ja', 'パスワードは⟦{p10}⟧です。'],
  ['ja', 'パスワード：⟦{p12}⟧'],
  ['ja', 'パスワードを⟦{p12}⟧に変更しました。'],
  ['de', 'Das Passwort lautet ⟦{p10}⟧, bitte ändern.'],
  ['de', 'Das Passwort für den Server ist ⟦{p12}⟧.'],
  ['de', 'Melden Sie sich mit dem Kennwort ⟦Q{p11}⟧ an.'],
  ['fr', 'Le mot de passe est ⟦{p10}⟧.'],
  ['fr', 'Le mot de passe du serveur est : ⟦{p12}⟧'],
  ['fr', 'Connectez-vous avec le mot de passe ⟦Q{p11}⟧ puis changez-le.'],
  ['es', 'La contraseña es ⟦{p10}⟧.'],
  ['es', 'La contraseña del servidor es «⟦{p12}⟧».'],
  ['es', 'Entre con la clave ⟦Q{p11}⟧ y cámbiela.'],
  ['ru', 'Пароль: ⟦{p10}⟧'],
  ['ru', 'Пароль от сервера — ⟦{p12}⟧.'],
  ['ru', 'Войдите с паролем ⟦Q{p11}⟧ и смените его.'],
  ['ar', 'كلمة المرور هي ⟦{p10}⟧ لهذا الحساب.'],
  ['ar', 'كلمة السر: ⟦{p12}⟧'],
  ['en', 'The password is ⟦qRtVbnKwXz⟧ for now.'],
]

/** Values that something leads to: addresses, headers, settings, programs. */
const led: readonly (readonly [Language, string])[] = [
  ['en', 'Connect to postgres://app:⟦{p14}⟧@db.example.com:5432/app and try again.'],
  ['zh', '连接串是mysql://root:⟦{p12}⟧@10.0.0.5/shop。'],
  ['ja', '接続先は redis://:⟦{p16}⟧@cache:6379 です。'],
  ['de', 'Die Warteschlange ist amqp://svc:⟦{p12}⟧@mq/vhost.'],
  ['fr', 'Le dépôt est https://⟦{p40}⟧:x-oauth-basic@github.com/a/b.git ici.'],
  ['es', 'Use mongodb+srv://app:⟦{p14}⟧@cluster.example.net/test para probar.'],
  ['en', 'It sends Authorization: Bearer ⟦{w40}⟧ with each request.'],
  ['en', 'Call it with Authorization: SSWS ⟦00{w40}⟧ for now.'],
  ['de', 'Der Kopf lautet Authorization: Klaviyo-API-Key ⟦{p36}⟧ hier.'],
  ['fr', 'En-tête : Authorization: ApiKey ⟦{b40}⟧==, rien de plus.'],
  ['es', 'Se envía "Authorization": "GenieKey ⟦{uuid}⟧" siempre.'],
  ['zh', '请求头是 Proxy-Authorization: NTLM ⟦TlRM{b40}⟧ 。'],
  ['ja', 'Authorization: SharedKey account:⟦{b43}⟧= を送ります。'],
  ['ru', 'Пусть будет Authorization: Token token="⟦{p32}⟧" в запросе.'],
  ['en', 'It has Authorization: HMAC id="7", nonce="a", mac="⟦{b43}⟧=" in it.'],
  ['de', 'Der Aufruf braucht den Header "Authorization: Basic ⟦{b28}⟧==" dazu.'],
  ['ru', 'Заголовок x-api-key: ⟦{p32}⟧ обязателен.'],
  ['fr', 'La requête envoie Cookie: theme=dark; session=⟦{p32}⟧ à chaque fois.'],
  ['es', 'La respuesta trae Set-Cookie: sid=⟦{p32}⟧; HttpOnly; Secure'],
  ['ja', 'URLは https://example.com/a?JSESSIONID=⟦{A32}⟧ です。'],
  [
    'zh',
    'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=⟦{b86}⟧==;EndpointSuffix=core.windows.net',
  ],
  ['en', 'Open https://a.blob.core.windows.net/c/b?sv=2024-01-01&sig=⟦{p43}⟧%3D in a browser.'],
  ['ar', 'استخدم curl -u admin:⟦{p14}⟧ https://api.example.com للتجربة.'],
  ['en', 'AWS_SECRET_ACCESS_KEY=⟦{b40}⟧'],
  ['zh', '在.env里写 DB_PASSWORD="⟦{p12}⟧!" 就行。'],
  ['de', 'In der Datei steht client_secret: ⟦{p32}⟧ im Klartext.'],
  ['fr', 'Mettez DATADOG_API_KEY=⟦{h32}⟧ dans le fichier.'],
  ['es', 'El archivo dice "asanaToken": "⟦{a32}⟧" todavía.'],
  ['ru', 'В настройках stripe.webhook_secret = ⟦{p32}⟧ лежит открыто.'],
  ['ja', '設定は zendesk: "⟦{a40}⟧" です。'],
  ['en', 'const apiKey = "⟦{p32}⟧" // remove before merge'],
  ['ar', 'القيمة api_key: ⟦{p32}⟧ في الملف.'],
  ['en', '-----BEGIN OPENSSH PRIVATE KEY-----\n⟦{b64}⟧\n-----END OPENSSH PRIVATE KEY-----'],
  ['zh', '-----BEGIN RSA PRIVATE KEY-----\n⟦MII{b61}⟧\n-----END RSA PRIVATE KEY-----'],
]

/** Keys that a sentence speaks of, and passwords on the command line. */
const told: readonly (readonly [Language, string])[] = [
  ['en', 'The API key is ⟦{h32}⟧, and the limit is 60 a minute.'],
  ['zh', '密钥：⟦{p40}⟧'],
  ['zh', 'API密钥是⟦{h32}⟧，不要外传。'],
  ['ja', 'トークンは⟦{p32}⟧です。'],
  ['de', 'Der API-Schlüssel lautet ⟦{p32}⟧.'],
  ['fr', 'La clé est ⟦{p32}⟧ pour le test.'],
  ['es', 'La clave secreta es ⟦{p32}⟧.'],
  ['ru', 'Токен: ⟦{p40}⟧'],
  ['ar', 'المفتاح هو ⟦{p32}⟧ فقط.'],
  ['en', 'Run it with --password ⟦{p12}⟧ once.'],
  ['de', 'Mit sshpass -p ⟦{p12}⟧ ssh root@host geht es.'],
  ['zh', '用户名admin，密码⟦A{p10}⟧'],
  ['ru', 'логин root, пароль ⟦{p12}⟧'],
  ['ja', 'PW：⟦{p12}⟧'],
]

const marked = (
  kind: string,
  samples: readonly (readonly [Language, string])[],
): readonly Positive[] =>
  samples.map(([language, format]) => {
    const filled = made(format)
    const secret = /⟦([^⟧]*)⟧/.exec(filled)?.[1] ?? ''
    return { kind, language, secret, text: filled.replaceAll(/[⟦⟧]/g, '') }
  })

/** Ranges of ISO/IEC 7812 by scheme: Visa, Mastercard, American Express, Discover, JCB, UnionPay, Diners Club. */
const cards = [
  ['4', 16],
  ['51', 16],
  ['2221', 16],
  ['37', 15],
  ['6011', 16],
  ['3530', 16],
  ['62', 16],
  ['36', 14],
  ['4', 16],
  ['55', 16],
  ['62', 19],
  ['4', 16],
  ['34', 15],
  ['65', 16],
  ['2720', 16],
  ['4', 13],
] as const

const cardNumbers = cards.map(([prefix, length], n) => {
  const number = cardNumber(prefix, length, random)
  return n % 3 === 0 && length === 16 ? inFours(number) : number
})

/** Countries of the SWIFT register and how they form the account. */
const ibans = (
  [
    ['GB', 'aaaannnnnnnnnnnnnn'],
    ['DE', 'nnnnnnnnnnnnnnnnnn'],
    ['NL', 'aaaannnnnnnnnn'],
    ['AT', 'nnnnnnnnnnnnnnnn'],
    ['FR', 'nnnnnnnnnncccccccccccnn'],
    ['ES', 'nnnnnnnnnnnnnnnnnnnn'],
    ['CH', 'nnnnncccccccccccc'],
    ['AE', 'nnnnnnnnnnnnnnnnnnn'],
    ['IE', 'aaaannnnnnnnnnnnnn'],
    ['BE', 'nnnnnnnnnnnn'],
    ['IT', 'annnnnnnnnncccccccccccc'],
    ['PL', 'nnnnnnnnnnnnnnnnnnnnnnnn'],
    ['SA', 'nncccccccccccccccccc'],
    ['NO', 'nnnnnnnnnnn'],
    ['PT', 'nnnnnnnnnnnnnnnnnnnnn'],
    ['TR', 'nnnnnncccccccccccccccc'],
  ] as const
).map(([country, bban], n) => {
  const iban = ibanOf(country, bban, random)
  return n % 2 === 0 ? inFours(iban) : iban
})

/** Numbers that regulators keep for films and examples where there are some, in the order of the languages. */
const phones = [
  '212-555-0123',
  '13800138000',
  '03-1234-5678',
  '030 23125 123',
  '01 99 00 12 34',
  '+34 912 345 678',
  '+7 495 123-45-67',
  '+971 4 123 4567',
  '(415) 555-0199',
  '138-0013-8000',
  '090-1234-5678',
  '0171 3920012',
  '06.39.98.12.34',
  '+52 55 1234 5678',
  '+7 (912) 345-67-89',
  '+966 50 123 4567',
  '020 7946 0958',
  '010-62345678',
  '+81 3 1234 5678',
  '089/23125123',
  '+33 1 99 00 12 34',
  '+1 305 555 0143',
  '+380 44 123 4567',
  '00971 4 123 4567',
  '07700 900123',
  '+86 138 0013 8000',
  '06-6123-4567',
  '(030) 23125456',
  '01713920012',
  '07700900123',
]

/** Any form behind a word that announces it. */
const announced: readonly (readonly [Language, string])[] = [
  ['en', 'Phone: ⟦555-0123⟧, ask for Ada.'],
  ['zh', '电话：⟦62345678⟧，找小李。'],
  ['ja', '電話番号：⟦0312345678⟧'],
  ['de', 'Tel.: ⟦0221 4710 123⟧'],
  ['fr', 'Tél. ⟦0199001234⟧'],
  ['es', 'Teléfono: ⟦912 345 678⟧'],
  ['ru', 'тел. ⟦8 495 123-45-67⟧'],
  ['ar', 'هاتف: ⟦04 123 4567⟧'],
]

const emails = [
  'ada.lovelace@example.com',
  'li.lei@example.cn',
  'taro+work@mail.example.jp',
  'jürgen.groß@beispiel.example',
  "marie.d'arc@exemple.example",
  'jose_89@correo.example.mx',
  'иван@пример.example',
  'sales-team@shop.example.ae',
]

const residents = [
  residentId('110105', '19491231', '002'),
  residentId('310115', '19880214', '123'),
  residentId('440306', '20010730', '418'),
  residentId('510107', '19751105', '056'),
  residentId('320582', '19991212', '777'),
  residentId('830000', '19900101', '001'),
  residentId('650102', '19630620', '309'),
  residentId('420106', '20080229', '642'),
]

const ssns = ['123-45-6789', '219-09-9999', '078-05-1120', '456 78 9012']

const addresses = [
  '192.0.2.235',
  '198.51.100.17',
  '203.0.113.7',
  '2001:db8::8a2e:370:7334',
  '10.12.0.45',
  '2001:db8:85a3::1319:8a2e:370:7344',
]

export const positives: readonly Positive[] = [
  ...inSentences('token', 'token', tokens.map(made)),
  ...marked('password', passwords),
  ...marked('led value', led),
  ...marked('told key', told),
  ...inSentences('card', 'card', cardNumbers),
  ...inSentences('iban', 'iban', ibans),
  ...inSentences('phone', 'phone', phones),
  ...marked('phone, announced', announced),
  ...inSentences('email', 'email', emails),
  ...inSentences('resident id', 'id', residents),
  ...inSentences('ssn', 'id', ssns),
  ...inSentences('ip address', 'address', addresses),
]
