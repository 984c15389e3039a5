/**
 * Formats of tokens: those that their issuers publish, and those of services that the rule sets of scanners look for (gitleaks,
 * secretlint, trufflehog): kind, name for the model, literals of which one stands in every such token, pattern, and `true` where it
 * may be longer than is seen at once. What those scanners find and this does not stands in `test/stream/scanners/`.
 *
 * Each format has a prefix or a mark of its own; what has none is found beside the name of its service (`vendor-values.ts`).
 */

/** One row. */
type TokenShape = readonly [
  kind: string,
  label: string,
  /** Separated by spaces; empty where there is none that is not a sign of every day. */
  hints: string,
  pattern: string,
  open?: true,
]

const uuid = '[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}'
const hex = '[a-f0-9]'
const word = '[A-Za-z0-9_-]'
const plain = '[A-Za-z0-9]'
/** Two digits of a Discord account in base64 are four letters of these. */
const discordId = '(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){6}(?:[MNO][AQgw])?'

/** Issuers that publish the form of their tokens, or look for them with scanners of their own. Source: their documentation. */
const issuers: readonly TokenShape[] = [
  ['npm-token', 'an npm token', 'npm_', `npm_${plain}{36}`],
  ['pypi-token', 'a PyPI token', 'pypi-AgE', `pypi-AgE${word}{50,}`, true],
  ['sendgrid-key', 'a SendGrid key', 'SG.', `SG\\.${word}{22}\\.${word}{43}`],
  ['twilio-key', 'a Twilio key', '', 'SK[a-fA-F0-9]{32}'],
  ['telegram-token', 'a Telegram token', ':A', `[0-9]{5,16}:A${word}{34}`],
  [
    'discord-webhook',
    'a Discord webhook',
    'api/webhooks/',
    `discord(?:app)?\\.com/api/webhooks/[0-9]{17,20}/${word}{60,}`,
    true,
  ],
  [
    'digitalocean-token',
    'a DigitalOcean token',
    'dop_v1_ doo_v1_ dor_v1_ dot_v1_',
    `do[oprt]_v1_${hex}{64}`,
  ],
  ['huggingface-token', 'a Hugging Face token', 'hf_', `hf_${plain}{34,}`, true],
  ['databricks-token', 'a Databricks token', 'dapi', `dapi${hex}{32}(?:-[0-9])?`],
  [
    'shopify-token',
    'a Shopify token',
    'shpat_ shpca_ shppa_ shpss_',
    'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}',
  ],
  [
    'square-token',
    'a Square token',
    'sq0atp- sq0csp- EAAA',
    `sq0(?:atp|csp)-${word}{22,43}|EAAA${word}{60}`,
  ],
  ['mailgun-key', 'a Mailgun key', '', `key-${hex}{32}`],
  ['mailchimp-key', 'a Mailchimp key', '', `${hex}{32}-us[0-9]{1,2}`],
  [
    'doppler-token',
    'a Doppler token',
    'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.',
    `dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{40,}`,
    true,
  ],
  ['vault-token', 'a Vault token', 'hvs. hvb. hvr.', `hv[sbr]\\.${word}{24,}`, true],
  ['atlassian-token', 'an Atlassian token', 'ATATT3', 'ATATT3[A-Za-z0-9_=-]{100,}', true],
  ['linear-key', 'a Linear key', 'lin_api_ lin_oauth_', `lin_(?:api|oauth)_${plain}{40,}`, true],
  ['notion-token', 'a Notion token', 'ntn_ secret_', `ntn_${plain}{40,}|secret_${plain}{43}`, true],
  ['airtable-token', 'an Airtable token', '', `pat${plain}{14}\\.${hex}{64}`],
  ['supabase-token', 'a Supabase token', 'sbp_', `sbp_${hex}{40}`],
  ['postman-key', 'a Postman key', 'PMAK-', `PMAK-${hex}{24}-${hex}{34}`],
  [
    'grafana-token',
    'a Grafana token',
    'glsa_ glc_',
    `glsa_${plain}{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32,}`,
    true,
  ],
  ['groq-key', 'a Groq key', 'gsk_', `gsk_${plain}{52}`],
  ['xai-key', 'an xAI key', 'xai-', `xai-${plain}{70,}`, true],
  ['perplexity-key', 'a Perplexity key', 'pplx-', `pplx-${plain}{48}`],
  ['replicate-token', 'a Replicate token', 'r8_', `r8_${plain}{37}`],
  ['google-token', 'a Google token', 'ya29.', `ya29\\.${word}{30,}`, true],
  ['azure-secret', 'an Azure secret', 'Q~', '[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}'],
  ['bedrock-key', 'an Amazon Bedrock key', 'ABSK', 'ABSK[A-Za-z0-9+/]{109,}={0,2}', true],
  ['alibaba-key', 'an Alibaba Cloud key', 'LTAI', `LTAI${plain}{12,20}`],
  ['tencent-key', 'a Tencent Cloud key', 'AKID', `AKID${plain}{32}`],
  ['heroku-key', 'a Heroku key', 'HRKU-AA', `HRKU-AA${word}{58}`],
  [
    'planetscale-token',
    'a PlanetScale token',
    'pscale_',
    `pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{32,64}`,
  ],
  ['dockerhub-token', 'a Docker token', 'dckr_pat_ dckr_oat_', `dckr_(?:pat|oat)_${word}{27,32}`],
  ['terraform-token', 'a Terraform token', '.atlasv1.', `${plain}{14}\\.atlasv1\\.${word}{60,70}`],
  ['figma-token', 'a Figma token', 'figd_', `figd_${word}{40,}`, true],
  [
    'sentry-token',
    'a Sentry token',
    'sntrys_ sntryu_',
    `sntryu_${hex}{64}|sntrys_[A-Za-z0-9+/=_-]{40,}`,
    true,
  ],
]

/** Code, packages, builds, machines. */
const development: readonly TokenShape[] = [
  [
    'age-key',
    'an age key',
    'AGE-SECRET-KEY-1',
    'AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}',
  ],
  ['apify-token', 'an Apify token', 'apify_api_', 'apify_api_[A-Za-z0-9-]{36}'],
  ['artifactory-key', 'an Artifactory key', 'AKCp cmVmd', `AKCp${plain}{69}|cmVmd${plain}{59}`],
  [
    'authress-key',
    'an Authress key',
    '.acc_ .acc-',
    `(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\\.[A-Za-z0-9]{4,6}\\.acc[_-][A-Za-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}`,
  ],
  [
    'bitbucket-token',
    'a Bitbucket token',
    'ATBB ATCTT3',
    `ATBB${plain}{32}|ATCTT3[A-Za-z0-9_=-]{100,}`,
    true,
  ],
  ['buildkite-token', 'a Buildkite token', 'bkua_', 'bkua_[a-f0-9]{40}'],
  [
    'circleci-token',
    'a CircleCI token',
    'CCIPAT_ CCIPRJ_',
    `CCIP(?:AT|RJ)_${plain}{22}_[a-f0-9]{40}`,
  ],
  ['clojars-token', 'a Clojars token', 'CLOJARS_', 'CLOJARS_[a-z0-9]{60}'],
  ['crates-token', 'a crates.io token', '', `cio${plain}{32}`],
  ['deno-token', 'a Deno token', 'ddp_ ddw_', `dd[pw]_${plain}{36}`],
  ['endorlabs-key', 'an Endor Labs key', 'endr+', 'endr\\+[A-Za-z0-9-]{16}'],
  ['gitlab-token', 'a GitLab token', 'GR1348941', `GR1348941${word}{20}`],
  [
    'harness-key',
    'a Harness key',
    'pat. sat.',
    `[ps]at\\.${word}{22}\\.${plain}{24}\\.${plain}{20}`,
  ],
  ['infracost-token', 'an Infracost token', 'ico-', `ico-${plain}{32}`],
  ['octopus-key', 'an Octopus Deploy key', 'API-', 'API-[A-Z0-9]{26}'],
  [
    'onepassword-key',
    'a 1Password key',
    'A3- ops_eyJ',
    `A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}|ops_eyJ[A-Za-z0-9+/]{60,}`,
    true,
  ],
  ['openshift-token', 'an OpenShift token', 'sha256~', `sha256~${word}{43}`],
  ['prefect-key', 'a Prefect key', 'pnu_', `pnu_${plain}{36}`],
  ['pulumi-token', 'a Pulumi token', 'pul-', 'pul-[a-z0-9]{40}'],
  ['readme-key', 'a ReadMe key', 'rdme_', 'rdme_[a-z0-9]{70}'],
  ['rubygems-key', 'a RubyGems key', 'rubygems_', 'rubygems_[a-f0-9]{48}'],
  ['sonar-token', 'a Sonar token', 'sqa_ sqp_ squ_', 'sq[apu]_[a-f0-9]{40}'],
  [
    'sourcegraph-token',
    'a Sourcegraph token',
    'sgp_ slk_',
    'sgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}|slk_[a-fA-F0-9]{64}',
  ],
  ['trufflehog-key', 'a TruffleHog key', 'thog-', 'thog-(?:key-[0-9a-f]{16}|secret-[0-9a-f]{32})'],
  ['vercel-token', 'a Vercel token', 'vcp_ vci_ vca_ vcr_ vck_', `vc[piark]_${plain}{20,60}`],
]

/** Clouds, databases, networks, observation. */
const operation: readonly TokenShape[] = [
  ['aiven-password', 'an Aiven password', 'AVNS_', `AVNS_${word}{19}`],
  // The 84 characters of Azure DevOps tokens and of the keys of Azure services, with the signature of their maker.
  ['azure-key', 'an Azure key', 'JQQJ99', `${plain}{52}JQQJ99${plain}{26}`],
  ['azure-registry-key', 'an Azure registry key', '+ACR', `[A-Za-z0-9+/]{42}\\+ACR${plain}{6}`],
  ['clickhouse-key', 'a ClickHouse key', '4b1d', `4b1d${plain}{38}`],
  [
    'cloudflare-token',
    'a Cloudflare token',
    'cfk_ cfut_ cfat_ v1.0-',
    `(?:cfk|cfut|cfat)_${plain}{40}[a-f0-9]{8}|v1\\.0-[a-f0-9]{24}-[a-f0-9]{146}`,
  ],
  [
    'defined-networking-key',
    'a Defined Networking key',
    'dnkey-',
    'dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}',
  ],
  ['databricks-secret', 'a Databricks secret', '', 'dose[a-f0-9]{32}'],
  [
    'dynatrace-token',
    'a Dynatrace token',
    'dt0',
    `dt0[a-z][0-9]{2}\\.${plain}{8}(?:${plain}{16})?\\.${plain}{64}`,
  ],
  [
    'fly-token',
    'a Fly.io token',
    'fo1_ fm1a_ fm1r_ fm2_',
    `fo1_${word}{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,}`,
    true,
  ],
  ['grafana-token', 'a Grafana token', 'eyJrIjoi', `eyJrIjoi${plain}{70,}`, true],
  ['honeycomb-key', 'a Honeycomb key', 'hcaik_ hcamk_', 'hca[im]k_[a-z0-9]{58}'],
  ['maxmind-key', 'a MaxMind key', '_mmk', `${plain}{6}_${plain}{29}_mmk`],
  ['netlify-token', 'a Netlify token', 'nfp_ nfc_ nfo_ nfu_', `nf[pcou]_${plain}{36,}`, true],
  [
    'newrelic-key',
    'a New Relic key',
    'NRAK- NRII- FFFFNRAL',
    `NRAK-${plain}{27}|NRII-[A-Za-z0-9-]{32}|[a-f0-9]{32}FFFFNRAL`,
  ],
  ['nightfall-key', 'a Nightfall key', 'NF-', `NF-${plain}{32}`],
  ['posthog-key', 'a PostHog key', 'phx_', `phx_${plain}{43,}`, true],
  ['render-key', 'a Render key', 'rnd_', `rnd_${plain}{28,}`, true],
  ['rootly-key', 'a Rootly key', 'rootly_', 'rootly_[a-f0-9]{64}'],
  ['salad-key', 'a SaladCloud key', 'salad_cloud_', `salad_cloud_${plain}{1,7}_${plain}{20,235}`],
  ['scalingo-token', 'a Scalingo token', 'tk-us-', `tk-us-${word}{48}`],
  ['settlemint-token', 'a SettleMint token', 'sm_', `sm_[aps]at_${plain}{16}`],
  ['supabase-token', 'a Supabase secret', 'sb_secret_', `sb_secret_${word}{20,60}`],
  [
    'tailscale-key',
    'a Tailscale key',
    'tskey-',
    'tskey-[a-z]{2,20}-[0-9A-Za-z_]{8,40}-[0-9A-Za-z_]{16,60}',
  ],
  ['ubidots-token', 'a Ubidots token', 'BBFF-', `BBFF-${plain}{30}`],
]

/** Models and what stands beside them. */
const models: readonly TokenShape[] = [
  ['baidu-key', 'a Baidu Cloud key', 'ALTAK-', `bce-v3/ALTAK-${plain}{21}/[a-f0-9]{40}`],
  [
    'bedrock-key',
    'an Amazon Bedrock key',
    'bedrock-api-key-',
    'bedrock-api-key-[A-Za-z0-9+/]{60,}',
    true,
  ],
  ['cerebras-key', 'a Cerebras key', 'csk-', 'csk-[a-z0-9]{48}'],
  ['context7-key', 'a Context7 key', 'ctx7sk', `ctx7sk[_-][a-f0-9-]{36}`],
  ['e2b-key', 'an E2B key', 'e2b_', 'e2b_[a-f0-9]{40}'],
  ['elevenlabs-key', 'an ElevenLabs key', 'sk_', 'sk_[a-f0-9]{48}'],
  ['firecrawl-key', 'a Firecrawl key', 'fc-', 'fc-[a-f0-9]{32}'],
  ['huggingface-token', 'a Hugging Face token', 'api_org_', 'api_org_[A-Za-z]{34}'],
  ['jina-key', 'a Jina key', 'jina_', `jina_${word}{60}`],
  ['langsmith-key', 'a LangSmith key', 'lsv2_', 'lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}'],
  ['nvidia-key', 'an NVIDIA key', 'nvapi-', `nvapi-${word}{64}`],
  ['pinecone-key', 'a Pinecone key', 'pcsk_', `pcsk_${plain}{5,6}_${plain}{60,63}`],
  ['tavily-key', 'a Tavily key', 'tvly-', 'tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}'],
  ['together-key', 'a Together key', 'tgp_v1_', `tgp_v1_${word}{43}`],
  [
    'voiceflow-key',
    'a Voiceflow key',
    'VF.',
    `VF\\.(?:(?:DM|WS)\\.)?[a-fA-F0-9]{24}\\.${plain}{16}`,
  ],
]

/** Money, shops, mail, chats, and what people work with. */
const business: readonly TokenShape[] = [
  ['adafruit-key', 'an Adafruit key', 'aio_', `aio_${plain}{28}`],
  ['adobe-secret', 'an Adobe secret', 'p8e-', `p8e-${plain}{32}`],
  ['asana-token', 'an Asana token', '', '[0-9]{1,2}/[0-9]{15,17}:[a-f0-9]{32}'],
  [
    'braintree-token',
    'a Braintree token',
    'access_token$',
    'access_token\\$(?:production|sandbox)\\$[a-z0-9]{16}\\$[a-f0-9]{32}',
  ],
  ['brevo-key', 'a Brevo key', 'xkeysib- xsmtpsib-', `x(?:key|smtp)sib-[a-f0-9]{64}-${plain}{16}`],
  [
    'chat-webhook',
    'a webhook of a chat',
    'webhook.office.com/ qyapi.weixin.qq.com/ /open-apis/bot/',
    `webhook\\.office\\.com/webhookb2/[a-z0-9-]{36}@[a-z0-9-]{36}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36}|qyapi\\.weixin\\.qq\\.com/cgi-bin/webhook/send\\?key=${uuid}|open\\.(?:feishu|larksuite)\\.(?:cn|com)/open-apis/bot/v2/hook/${uuid}`,
  ],
  ['close-key', 'a Close key', 'api_', `api_${plain}{22}\\.${plain}{22}`],
  ['contentful-token', 'a Contentful token', 'CFPAT-', `CFPAT-${word}{43}`],
  ['discord-token', 'a Discord token', '', `${discordId}\\.${word}{6}\\.${word}{27,38}`],
  [
    'dropbox-token',
    'a Dropbox token',
    'sl. AAAAAAAAAA',
    `sl\\.(?:u\\.)?${word}{130,}|[a-z0-9]{11}AAAAAAAAAA[A-Za-z0-9_=-]{43}`,
    true,
  ],
  ['duffel-token', 'a Duffel token', 'duffel_', 'duffel_(?:test|live)_[A-Za-z0-9_=-]{43}'],
  ['easypost-key', 'an EasyPost key', 'EZAK EZTK', `EZ[AT]K${plain}{54}`],
  [
    'facebook-token',
    'a Facebook token',
    '',
    `EAA[CM]${plain}{100,}|[0-9]{15,16}\\|${word}{27,40}`,
    true,
  ],
  [
    'figma-token',
    'a Figma token',
    'figu_ figo_ figur_ figor_',
    `fig(?:u|o|ur|or)_${word}{40,}`,
    true,
  ],
  ['fleetbase-key', 'a Fleetbase key', 'flb_live_', `flb_live_${plain}{20}`],
  ['flexport-token', 'a Flexport token', 'shltm_', `shltm_${word}{40}`],
  [
    'flutterwave-key',
    'a Flutterwave key',
    'FLWSECK',
    'FLWSECK(?:_TEST)?-(?:[a-h0-9]{32}-X|[a-h0-9]{12})',
  ],
  ['frameio-token', 'a Frame.io token', 'fio-u-', 'fio-u-[A-Za-z0-9_=-]{64}'],
  ['hubspot-token', 'a HubSpot token', 'pat-', `pat-[a-z]{2}[0-9]-${uuid}`],
  ['intra42-secret', 'an Intra 42 secret', 's-s4t2', 's-s4t2(?:ud|af)-[a-f0-9]{64}'],
  ['jwt', 'a JSON web token', 'ZXlK', 'ZXlK[A-Za-z0-9+/_-]{60,}', true],
  ['klaviyo-key', 'a Klaviyo key', 'pk_', `pk_${plain}{34}`],
  ['launchdarkly-key', 'a LaunchDarkly key', 'api- sdk-', `(?:api|sdk)-${uuid}`],
  ['lob-key', 'a Lob key', 'live_ test_', '(?:live|test)_[a-f0-9]{35}'],
  [
    'mapbox-token',
    'a Mapbox secret token',
    'sk.eyJ',
    `sk\\.eyJ${word}{40,240}\\.${word}{20,}`,
    true,
  ],
  [
    'paddle-key',
    'a Paddle key',
    'pdl_',
    `pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_${plain}{22}_${plain}{3}`,
  ],
  ['pagarme-key', 'a Pagar.me key', 'ak_live_', `ak_live_${plain}{30}`],
  ['paystack-key', 'a Paystack key', 'sk_', `sk_(?:live|test)_${plain}{40}`],
  ['plaid-token', 'a Plaid token', 'access-', `access-(?:sandbox|development|production)-${uuid}`],
  [
    'polar-token',
    'a Polar token',
    'polar_',
    `polar_(?:oat|pat|at_[ou]|rt_[ou]|cs|ci)_${word}{32,50}`,
  ],
  ['pubnub-key', 'a PubNub key', 'pub-c- sec-c-', `pub-c-${uuid}|sec-c-${plain}{48}`],
  ['ramp-secret', 'a Ramp secret', 'ramp_sec_', `ramp_sec_${plain}{48}`],
  [
    'recharge-key',
    'a Recharge key',
    'x1_ x2_ x3_',
    'sk(?:_test)?_(?:1|2|3|5|10)x[123]_[0-9a-fA-F]{64}',
  ],
  ['resend-key', 'a Resend key', 're_', `re_${plain}{8}_${plain}{24}`],
  ['robinhood-key', 'a Robinhood key', 'rh-api-', `rh-api-${uuid}`],
  [
    'salesforce-token',
    'a Salesforce token',
    '',
    `00${plain}{13}![A-Za-z0-9_.]{96}|5AEP861[A-Za-z0-9._=]{80,}`,
    true,
  ],
  ['shippo-token', 'a Shippo token', 'shippo_', 'shippo_(?:live|test)_[a-fA-F0-9]{40}'],
  [
    'slack-token',
    'a Slack token',
    'hooks.slack.com/',
    'hooks\\.slack\\.com/(?:workflows|triggers)/[A-Za-z0-9+/]{40,}',
    true,
  ],
  ['stripe-key', 'a Stripe secret', '_secret_', `(?:pi|seti)_${plain}{24}_secret_${plain}{25}`],
  ['tableau-token', 'a Tableau token', '==:', `[A-Za-z0-9+/]{22}==:${plain}{32}`],
  ['typeform-token', 'a Typeform token', 'tfp_', 'tfp_[A-Za-z0-9_.=-]{59}'],
  ['vk-token', 'a VK token', 'vk1.a.', `vk1\\.a\\.${word}{60,}`, true],
  ['yandex-token', 'a Yandex token', 'y0_ y1_ y2_ y3_', `y[0-3]_${word}{50,}`, true],
  ['webex-token', 'a Webex token', '', `${plain}{64}_${plain}{4}_${uuid}`],
  [
    'yandex-key',
    'a Yandex key',
    'AQVN t1.',
    `AQVN${word}{35,38}|t1\\.${word}{10,200}\\.${word}{86}`,
  ],
  ['zoho-token', 'a Zoho token', '1000.', '1000\\.[a-f0-9]{32}\\.[a-f0-9]{32}'],
]

export const serviceShapes = [...issuers, ...development, ...operation, ...models, ...business].map(
  ([kind, label, hints, pattern, open]) =>
    [kind, label, hints.split(' ').filter(Boolean), pattern, open === true] as const,
)
