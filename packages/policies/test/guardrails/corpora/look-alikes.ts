/** Harmless things in sentences that look like secrets and identities: what must be left alone. */
import { madeSample, randomOf } from '../scanners/made-sample.ts'
import { ibanOf, inFours, wrongCardNumber, wrongResidentId } from './numbers.ts'
import type { Language } from './sentences.ts'

export interface LookAlike {
  /** What it could be taken for. */
  readonly like: string
  readonly language: Language
  readonly text: string
}

const random = randomOf(20_262)

const all = (
  like: string,
  samples: readonly (readonly [Language, string])[],
): readonly LookAlike[] =>
  samples.map(([language, format]) => ({ like, language, text: madeSample(format, random) }))

/** Digests, identifiers, names and placeholders. */
const likeTokens = all('token', [
  ['en', 'It broke in commit {h40}, see the log.'],
  ['zh', '请回退到提交{h40}。'],
  ['ja', 'コミット {h12} を確認してください。'],
  ['de', 'Die Prüfsumme ist sha256:{h64}.'],
  ['fr', 'La somme MD5 est {h32}.'],
  ['es', 'El pedido 7c{h6}-{h4}-{h4}-{h4}-{h12} está listo.'],
  ['ru', 'Запрос {uuid} обработан.'],
  ['ar', 'رقم الطلب {uuid} جاهز.'],
  ['en', 'The trace is 00-{h32}-{h16}-01 in the header traceparent.'],
  ['en', '"integrity": "sha512-{b86}=="'],
  ['en', 'docker pull nginx@sha256:{h64}'],
  ['de', 'Die Farbe ist #1f6feb, dunkel #0d1117ff.'],
  ['fr', 'La couleur est rgba(31, 111, 235, 0.5) ou #1F6FEB.'],
  ['ja', '色は#ff8800です。'],
  [
    'en',
    'The picture is data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  ],
  ['en', 'My public key is ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} ada@host'],
  ['en', '-----BEGIN CERTIFICATE-----\n{b64}\n{b64}\n-----END CERTIFICATE-----'],
  ['en', '-----BEGIN PUBLIC KEY-----\n{b64}\n-----END PUBLIC KEY-----'],
  ['en', 'The publishable key pk_live_{p24} may stand in the page.'],
  ['zh', '把 ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 换成你的令牌。'],
  ['en', 'Replace sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx by your key.'],
  ['en', 'AKIAXXXXXXXXXXXXXXXX is a placeholder.'],
  ['en', 'pip install sk-learn-something-about-machine-learning'],
  ['en', 'The model is gsk_finetuned and the loader hf_hub_download("gpt2").'],
  ['en', 'Set npm_config_registry and npm_package_version first.'],
  ['de', 'Die Klasse heißt NotificationsControllerImpl.update.withAllRemainingArguments.'],
  ['fr', 'La fonction live_update_of_configuration appelle test_suite_all.'],
  ['es', 'El dominio es api-docs.example.com y la rama feat/pat.alpha.'],
  ['ru', 'Идентификатор 01ARZ3NDEKTSV4RRFFQ69G5FAV создан вчера.'],
  ['en', 'arn:aws:iam::123456789012:role/deploy is the role.'],
  ['en', 'The class is MuiButton-root-{d3} and the file main.{h8}.js.'],
  ['zh', '文件 index-{h8}.css 已更新。'],
  ['ja', 'ビルド番号は 20261125.4 です。'],
  ['en', 'SENTRY_RELEASE={h40} is set by the build.'],
  ['en', 'travis_commit: {h40}'],
  ['en', 'GITLAB_PROJECT_ID=123456789012345'],
  ['en', 'linear: 2026-11-25T10:00:00Z'],
  ['en', 'datadog.endpoint = https://api.datadoghq.com/api/v2/series'],
  ['de', 'Die Spur heißt sentry-trace: {h32}-{h16}-1'],
  ['en', 'node_modules/@aws-sdk/client-secrets-manager/dist-es/index.js'],
  ['en', 'The etag is W/"{h32}" and the cache key user-list-page-2.'],
  ['fr', 'Le lot A3-0042 part lundi, le lot A3-0043 mardi.'],
  ['es', 'Los códigos son EAN 4006381333931 y SKU AB-12-CD-34.'],
  ['en', 'xoxo and love from all of us, xox.'],
  ['en', 'magnet:?xt=urn:btih:{h40} is the torrent.'],
])

/** Words about passwords and keys, and places where they are read from. */
const likePasswords = all('password', [
  ['en', 'Your password must have at least 12 characters and 1 digit.'],
  ['en', 'The password is required.'],
  ['en', 'The password for the account was changed on 2026-11-25.'],
  ['en', 'Log in with your password and the code from the app.'],
  ['en', 'Reset it at https://example.com/password/reset.'],
  ['zh', '密码是必填项。'],
  ['zh', '密码长度不能少于8位。'],
  ['zh', '密码已过期，请在设置中修改。'],
  ['ja', 'パスワードは8文字以上です。'],
  ['ja', 'パスワードを忘れた場合はこちら。'],
  ['de', 'Das Passwort ist ungültig, bitte versuchen Sie es erneut.'],
  ['de', 'Das Kennwort lautet wie im Handbuch.'],
  ['de', 'Das Passwort für den Server ist abgelaufen.'],
  ['fr', 'Le mot de passe est obligatoire.'],
  ['fr', 'Le mot de passe du serveur est expiré depuis 30 jours.'],
  ['es', 'La contraseña es demasiado corta.'],
  ['es', 'La clave es trabajar con calma.'],
  ['ru', 'Пароль: не менее восьми знаков.'],
  ['ru', 'Пароль от сервера — у администратора.'],
  ['ar', 'كلمة المرور هي مطلوبة لهذا الحساب.'],
  ['ar', 'كلمة السر قصيرة جدا.'],
  ['en', 'password=your_password_here'],
  ['en', 'password: <password>'],
  ['en', 'api_key = process.env.OPENAI_API_KEY'],
  ['en', 'token: $\u007bGITHUB_TOKEN\u007d'],
  ['en', 'Authorization: Bearer <token>'],
  ['en', 'The bearer responsibilities are described below.'],
  ['en', 'Basic understanding of TypeScript is expected.'],
  ['de', 'Die Basic Authentication ist abgeschaltet.'],
  ['en', 'The token is valid for 3600 seconds.'],
  ['en', 'max_tokens: 4096, token_count: 1234567890'],
  ['en', 'The secret: work every day.'],
  ['fr', 'La clé : travailler tous les jours.'],
  ['es', 'cookie: se usa para recordar el idioma.'],
  ['en', 'Cookie: theme=dark; lang=en'],
  ['en', 'https://example.com:8080/a@b and http://localhost:3000/user@host'],
  ['en', 'curl -u user:password https://example.com'],
  ['en', 'docker run -u 1000:1000 alpine'],
  ['zh', '令牌的有效期是3600秒。'],
  ['ja', 'トークンの有効期限は1時間です。'],
  ['en', 'tokenizer: cl100k_base'],
  ['en', 'secret_name: db-credentials-v2'],
  ['en', 'secretRef: my-secret-01'],
  ['en', 'password_hash_algorithm: bcrypt-2b-12'],
  ['en', 'The primary key is user_id, the sort key is created_at_2024.'],
  ['de', 'Der Schlüssel ist Vertrauen.'],
  ['es', 'La clave es la paciencia.'],
  ['ja', 'キーは左から2番目です。'],
  ['zh', '密码MD5加密后保存。'],
  ['en', 'The password field is empty; the password manager has it.'],
])

const likeCards = all('card', [
  ['en', `The order ${wrongCardNumber('4', 16, random)} was shipped.`],
  ['zh', `订单号${wrongCardNumber('62', 16, random)}已发货。`],
  ['ja', `注文番号は${wrongCardNumber('35', 16, random)}です。`],
  ['de', `Die Kundennummer ${inFours(wrongCardNumber('51', 16, random))} ist neu.`],
  ['fr', `Le colis ${wrongCardNumber('37', 15, random)} est arrivé.`],
  ['es', `El envío ${wrongCardNumber('6011', 16, random)} llegó ayer.`],
  ['ru', `Заказ ${wrongCardNumber('4', 16, random)} отправлен.`],
  ['ar', `الطلب ${wrongCardNumber('55', 16, random)} في الطريق.`],
  ['en', 'The timestamp 1764032400000 is in milliseconds.'],
  ['en', 'The timestamp 1764032400000000000 is in nanoseconds.'],
  ['en', 'The device has the IMEI 49-015420-323751-8.'],
  ['de', 'Die Sendung 00340434161094042557 ist unterwegs.'],
  ['en', 'Pi is 3.141592653589793 and e is 2.718281828459045.'],
  ['en', 'The account 9007199254740993 is beyond what a double holds.'],
])

const wrongIban = (country: string, bban: string): string => {
  const iban = ibanOf(country, bban, random)
  return iban.slice(0, -1) + String((Number(iban.at(-1)) + 1 + random(8)) % 10)
}

const likeIbans = all('iban', [
  ['de', `Der Vertrag ${wrongIban('DE', 'nnnnnnnnnnnnnnnnnn')} läuft weiter.`],
  ['en', `The part ${wrongIban('GB', 'aaaannnnnnnnnnnnnn')} is in stock.`],
  ['fr', `La référence ${inFours(wrongIban('BE', 'nnnnnnnnnnnn'))} est épuisée.`],
  ['es', `La factura ${wrongIban('ES', 'nnnnnnnnnnnnnnnnnnnn')} está pagada.`],
  ['zh', `编号${wrongIban('AT', 'nnnnnnnnnnnnnnnn')}有效。`],
  ['de', 'Unsere USt-IdNr. ist DE123456789.'],
  ['en', 'The BIC is DEUTDEFF500.'],
  ['en', 'The vehicle WBA3A5C51CF256651 is sold.'],
  ['en', 'The container MSKU1234565 is on board.'],
  ['ja', '品番はAB12CD34EF56GH78です。'],
])

/** Parts, books, dates, prices, places, amounts. */
const likePhones = all('phone', [
  ['en', 'Part 415-555-2671 is out of stock.'],
  ['en', 'The item no. 212-555-0199 fits both models.'],
  ['zh', '型号0755-12345678已停产。'],
  ['de', 'Teilenummer 0171 3920012 ist lieferbar.'],
  ['ja', '品番 090-1234-5678 は廃番です。'],
  ['fr', 'La référence 01 23 45 67 89 est épuisée.'],
  ['en', 'The book has the ISBN 978-3-16-148410-0.'],
  ['de', 'Das Buch mit der ISBN 0-306-40615-2 ist vergriffen.'],
  ['zh', '这本书的ISBN是7-301-04815-7。'],
  ['en', 'The journal has the ISSN 0378-5955.'],
  ['en', 'It happened on 2026-11-25 at 17:20:40.'],
  ['de', 'Am 25.11.2026 um 10:00 Uhr, nicht am 01.12.2026.'],
  ['fr', 'Du 01/02/2026 au 03/04/2026.'],
  ['en', 'The years 2019-2026 and 1990 - 1999 were good.'],
  ['ja', '2026年11月25日 10時30分に始まります。'],
  ['en', 'Order 2026-004711 and order 1000234567 are open.'],
  ['de', 'Bestellnummer 4711-0815-2026 ist bezahlt.'],
  ['zh', '订单号202611250001234已发货。'],
  ['es', 'El pedido 20261125-0042 está listo.'],
  ['en', 'The tower stands at 48.858370, 2.294481.'],
  ['fr', 'La tour est à +48.8583701, +2.2944813.'],
  ['en', 'The rate is 0.0012345678 per call.'],
  ['en', 'The file has 13421772800 bytes.'],
  ['zh', '文件大小为13421772800字节。'],
  ['en', 'It cost $1,299.00 or €1 299,00.'],
  ['de', 'Der Umsatz stieg um +25 000 000 auf 1.234.567.890 Euro.'],
  ['ru', 'Цена 12 345 678 рублей.'],
  ['es', 'El presupuesto es de 1.234.567,89 euros.'],
  ['ar', 'السعر 1,234,567 ريال.'],
  ['en', 'The tracking number is 1Z999AA10123456784.'],
  ['en', 'Serial 0012-3456-78 and serial A-13812345678 were returned.'],
  ['en', 'The bits are 0010101010101.'],
  ['en', 'RFC 9110, ISO 8601-1:2019 and EN 301 549 apply.'],
  ['en', 'Lines 120-140 and 2000-2100 changed.'],
  ['de', 'Die Auflösung ist 1920 x 1080, nicht 3840 x 2160.'],
  ['fr', 'Le code postal est 75008, le SIREN 732 829 320.'],
  ['ja', '郵便番号は〒100-0001です。'],
  ['ru', 'Код 495 и индекс 101000.'],
  ['en', 'The score was 101-99 after 12-10 and 15-13.'],
  ['en', 'The number +1 234 is too short.'],
  ['en', 'Between 300-400-5000 and 200 300 4000 items.'],
  ['fr', 'Un téléphone portable 12345678 fois plus rapide.'],
])

/** Versions, times, names with colons. */
const likeAddresses = all('ip address', [
  ['en', 'Upgrade to version 1.2.3.4 today.'],
  ['en', 'It runs v10.0.19.41 of the driver.'],
  ['zh', '请升级到版本2.3.4.5。'],
  ['ja', 'バージョン 4.8.1.0 が必要です。'],
  ['de', 'Die Version 3.2.1.0 ist fehlerhaft.'],
  ['fr', 'La version 5.4.3.2 corrige cela.'],
  ['es', 'La versión 6.0.0.1 ya está.'],
  ['ru', 'Версия 7.1.2.3 вышла вчера.'],
  ['en', 'npm install left-pad@1.2.3.4'],
  ['en', 'The release 2.0.0.1-beta is out.'],
  ['en', 'The object identifier is 1.3.6.1.4.1.311.'],
  ['de', 'Siehe Abschnitt 3.2.1.4 im Handbuch.'],
  ['en', 'The address of the card is 00:1A:2B:3C:4D:5E.'],
  ['en', 'Use std::vector and a::before.'],
  ['fr', 'Il est 10:20:30, la vidéo dure 01:02:03.'],
  ['en', 'The ratio is 16:9, in the end 1:2:3.'],
  ['en', 'The server says nginx/1.18.0.1 and Chrome/120.0.0.0.'],
  ['en', 'Unpack libfoo-1.2.3.4.tar.gz first.'],
  ['en', '300.1.2.3 and 1.2.3.999 are no addresses.'],
])

const likeIdentities = all('identity', [
  ['zh', `号码${wrongResidentId('110105', '19491231', '002')}无效。`],
  ['zh', `流水号${wrongResidentId('310115', '19880214', '123')}已登记。`],
  ['en', `The batch ${wrongResidentId('440306', '20010730', '417')} passed.`],
  ['de', `Die Charge ${wrongResidentId('510107', '19751105', '056')} ist frei.`],
  ['ja', '管理番号は320582199913121234です。'],
  ['en', 'The case 000-45-6789 was closed.'],
  ['en', 'The case 987-65-4321 was closed.'],
  ['en', 'The case 123-00-6789 was closed.'],
  ['es', 'El expediente 666-12-3456 está cerrado.'],
  ['fr', 'Le dossier 123-45 6789 est clos.'],
])

const likeEmails = all('email', [
  ['en', 'Ask @ada and @grace on the channel.'],
  ['en', 'Clone git@github into a folder, then cd a@b.'],
  ['en', 'The package @types/node@24.13.0 is new.'],
  ['zh', '请@小李看一下。'],
  ['ja', '3個@100円で買いました。'],
  ['de', 'Treffen @ 10 Uhr im Büro.'],
  ['es', 'Los alumn@s llegan a las 9.'],
  ['ru', 'Цена 5 шт @ 100 рублей.'],
  ['en', 'Clone git@git.example.com:org/repository.git or ssh://git@git.example.com:22/a.'],
  ['en', 'Use @Injectable() and @media (min-width: 600px).'],
])

export const lookAlikes: readonly LookAlike[] = [
  ...likeTokens,
  ...likePasswords,
  ...likeCards,
  ...likeIbans,
  ...likePhones,
  ...likeAddresses,
  ...likeIdentities,
  ...likeEmails,
]
