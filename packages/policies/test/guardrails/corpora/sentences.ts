/** Sentences of eight languages; `{}` is where the thing stands. */

export const languages = ['en', 'zh', 'ja', 'de', 'fr', 'es', 'ru', 'ar'] as const
export type Language = (typeof languages)[number]

type Subject = 'token' | 'card' | 'iban' | 'phone' | 'email' | 'id' | 'address'

export const sentences: Readonly<Record<Subject, Readonly<Record<Language, string>>>> = {
  token: {
    en: 'I found {} in the settings of the old build, please rotate it.',
    zh: '部署时请使用{}，不要写进代码。',
    ja: 'デプロイには{}を使ってください。',
    de: 'Der Zugriff läuft noch über {}, das sollten wir tauschen.',
    fr: 'La clé de production est {}, ne la partagez pas.',
    es: 'El servicio todavía usa «{}» para entrar.',
    ru: 'Ключ для сервера: {}, никому его не показывай.',
    ar: 'المفتاح المستخدم هو {} ويجب تغييره.',
  },
  card: {
    en: 'She paid with the card {} yesterday.',
    zh: '客户的卡号是{}，请核对。',
    ja: 'カード番号は{}です。',
    de: 'Bitte belasten Sie die Karte {} mit 20 Euro.',
    fr: 'Le paiement a été fait avec la carte {}.',
    es: 'Pagó con la tarjeta {} ayer.',
    ru: 'Номер карты {}, срок до мая.',
    ar: 'رقم البطاقة {} صالح حتى مايو.',
  },
  iban: {
    en: 'Transfer the rent to {} by Friday.',
    zh: '请汇款到账户{}，谢谢。',
    ja: '口座{}に振り込んでください。',
    de: 'Überweisen Sie die Miete auf {}.',
    fr: 'Virez le loyer sur {} avant vendredi.',
    es: 'Transfiera el alquiler a {} hoy.',
    ru: 'Переведите оплату на {} до пятницы.',
    ar: 'حوّل الإيجار إلى {} قبل الجمعة.',
  },
  phone: {
    en: 'You can reach her at {} after six.',
    zh: '请拨打{}联系他。',
    ja: '{}までお電話ください。',
    de: 'Sie erreichen ihn unter {} ab sechs Uhr.',
    fr: 'Vous pouvez la joindre au {} le soir.',
    es: 'Puede llamarla al {} por la tarde.',
    ru: 'Звоните по номеру {} после шести.',
    ar: 'يمكنك الاتصال على {} مساءً.',
  },
  email: {
    en: 'Write to {} about the invoice.',
    zh: '请写信给{}询问发票。',
    ja: '{}までご連絡ください。',
    de: 'Schreiben Sie an {} wegen der Rechnung.',
    fr: 'Écrivez à {} pour la facture.',
    es: 'Escriba a {} por la factura.',
    ru: 'Напишите на {} по поводу счёта.',
    ar: 'اكتب إلى {} بخصوص الفاتورة.',
  },
  id: {
    en: 'His identity number {} is on the form.',
    zh: '他的身份证号码是{}，请登记。',
    ja: '身分番号は{}と記載されています。',
    de: 'Die Ausweisnummer {} steht im Formular.',
    fr: "Son numéro d'identité {} figure sur le formulaire.",
    es: 'Su número de identidad {} está en el formulario.',
    ru: 'Номер удостоверения {} указан в анкете.',
    ar: 'رقم الهوية {} مكتوب في الاستمارة.',
  },
  address: {
    en: 'The request came from {} at noon.',
    zh: '请求来自{}，时间是中午。',
    ja: '{}からのアクセスです。',
    de: 'Die Anfrage kam von {} um zwölf.',
    fr: 'La requête venait de {} à midi.',
    es: 'La petición vino de {} al mediodía.',
    ru: 'Запрос пришёл с {} в полдень.',
    ar: 'جاء الطلب من {} ظهرًا.',
  },
}
