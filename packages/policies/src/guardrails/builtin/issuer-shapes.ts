/**
 * Formats of tokens that issuers publish, or that their own scanners look for: kind, name for the model, literals of which one
 * stands in every such token (none where the literal is a word of every day), pattern, and whether it may be longer than is seen at once. Source: the issuers'
 * documentation of their tokens.
 */

/** One row. */
type IssuerShape = readonly [
  kind: string,
  label: string,
  hints: readonly string[],
  pattern: string,
  open: boolean,
]

const hex = '[a-f0-9]'
const word = '[A-Za-z0-9_-]'
const plain = '[A-Za-z0-9]'

export const issuerShapes: readonly IssuerShape[] = [
  ['npm-token', 'an npm token', ['npm_'], `npm_${plain}{36}`, false],
  ['pypi-token', 'a PyPI token', ['pypi-AgE'], `pypi-AgE${word}{50,}`, true],
  ['sendgrid-key', 'a SendGrid key', ['SG.'], `SG\\.${word}{22}\\.${word}{43}`, false],
  ['twilio-key', 'a Twilio key', [], 'SK[a-fA-F0-9]{32}', false],
  ['telegram-token', 'a Telegram token', [':A'], `[0-9]{5,16}:A${word}{34}`, false],
  [
    'discord-webhook',
    'a Discord webhook',
    ['api/webhooks/'],
    `discord(?:app)?\\.com/api/webhooks/[0-9]{17,20}/${word}{60,}`,
    true,
  ],
  [
    'digitalocean-token',
    'a DigitalOcean token',
    ['dop_v1_', 'doo_v1_', 'dor_v1_', 'dot_v1_'],
    `do[oprt]_v1_${hex}{64}`,
    false,
  ],
  ['huggingface-token', 'a Hugging Face token', ['hf_'], `hf_${plain}{34,}`, true],
  ['databricks-token', 'a Databricks token', ['dapi'], `dapi${hex}{32}(?:-[0-9])?`, false],
  [
    'shopify-token',
    'a Shopify token',
    ['shpat_', 'shpca_', 'shppa_', 'shpss_'],
    'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}',
    false,
  ],
  [
    'square-token',
    'a Square token',
    ['sq0atp-', 'sq0csp-', 'EAAA'],
    `sq0(?:atp|csp)-${word}{22,43}|EAAA${word}{60}`,
    false,
  ],
  ['mailgun-key', 'a Mailgun key', [], `key-${hex}{32}`, false],
  ['mailchimp-key', 'a Mailchimp key', [], `${hex}{32}-us[0-9]{1,2}`, false],
  [
    'doppler-token',
    'a Doppler token',
    ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
    `dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{40,}`,
    true,
  ],
  ['vault-token', 'a Vault token', ['hvs.', 'hvb.', 'hvr.'], `hv[sbr]\\.${word}{24,}`, true],
  ['atlassian-token', 'an Atlassian token', ['ATATT3'], 'ATATT3[A-Za-z0-9_=-]{100,}', true],
  [
    'linear-key',
    'a Linear key',
    ['lin_api_', 'lin_oauth_'],
    `lin_(?:api|oauth)_${plain}{40,}`,
    true,
  ],
  [
    'notion-token',
    'a Notion token',
    ['ntn_', 'secret_'],
    `ntn_${plain}{40,}|secret_${plain}{43}`,
    true,
  ],
  ['airtable-token', 'an Airtable token', [], `pat${plain}{14}\\.${hex}{64}`, false],
  ['supabase-token', 'a Supabase token', ['sbp_'], `sbp_${hex}{40}`, false],
  ['postman-key', 'a Postman key', ['PMAK-'], `PMAK-${hex}{24}-${hex}{34}`, false],
  [
    'grafana-token',
    'a Grafana token',
    ['glsa_', 'glc_'],
    `glsa_${plain}{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32,}`,
    true,
  ],
  ['groq-key', 'a Groq key', ['gsk_'], `gsk_${plain}{52}`, false],
  ['xai-key', 'an xAI key', ['xai-'], `xai-${plain}{70,}`, true],
  ['perplexity-key', 'a Perplexity key', ['pplx-'], `pplx-${plain}{48}`, false],
  ['replicate-token', 'a Replicate token', ['r8_'], `r8_${plain}{37}`, false],
  ['google-token', 'a Google token', ['ya29.'], `ya29\\.${word}{30,}`, true],
  [
    'azure-secret',
    'an Azure secret',
    ['Q~'],
    '[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}',
    false,
  ],
  ['bedrock-key', 'an Amazon Bedrock key', ['ABSK'], 'ABSK[A-Za-z0-9+/]{109,}={0,2}', true],
  ['alibaba-key', 'an Alibaba Cloud key', ['LTAI'], `LTAI${plain}{12,20}`, false],
  ['tencent-key', 'a Tencent Cloud key', ['AKID'], `AKID${plain}{32}`, false],
  ['heroku-key', 'a Heroku key', ['HRKU-AA'], `HRKU-AA${word}{58}`, false],
  [
    'planetscale-token',
    'a PlanetScale token',
    ['pscale_'],
    `pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{32,64}`,
    false,
  ],
  [
    'dockerhub-token',
    'a Docker token',
    ['dckr_pat_', 'dckr_oat_'],
    `dckr_(?:pat|oat)_${word}{27,32}`,
    false,
  ],
  [
    'terraform-token',
    'a Terraform token',
    ['.atlasv1.'],
    `${plain}{14}\\.atlasv1\\.${word}{60,70}`,
    false,
  ],
  ['figma-token', 'a Figma token', ['figd_'], `figd_${word}{40,}`, true],
  [
    'sentry-token',
    'a Sentry token',
    ['sntrys_', 'sntryu_'],
    `sntryu_${hex}{64}|sntrys_[A-Za-z0-9+/=_-]{40,}`,
    true,
  ],
]
