/** The formats of secrets that their issuers have published. */
import { RE2JS } from 're2js'
import { whenNeeded } from '../matches.ts'
import { serviceShapes } from './service-shapes.ts'

/** One format. */
export interface SecretShape {
  readonly kind: string
  readonly label: string
  /** One of these literals stands in every text that holds such a secret: the cheap question before the dear one. */
  readonly hints: readonly string[]
  readonly pattern: RE2JS
  /** Asked before the pattern where the hints are short words of every day. One class after another, so linear natively. */
  readonly check?: RegExp
  /** For a text that grows: the same with bounds within it, so that what is seen at once holds enough of each. */
  readonly within: RE2JS
  /** May it go on for longer than is seen at once? Then what follows its marker belongs to it. */
  readonly open: boolean
}

const shape = (
  [kind, label]: readonly [string, string],
  hints: readonly string[],
  [pattern, open, within = pattern]: readonly [string, boolean, string?],
): SecretShape => {
  const compiled = whenNeeded(pattern)
  const bounded = within === pattern ? compiled : whenNeeded(within)
  return {
    kind,
    label,
    hints,
    open,
    get pattern() {
      return compiled()
    },
    get within() {
      return bounded()
    },
  }
}

/** Tokens that stand for themselves. Each begins with its issuer's prefix. */
export const tokenShapes: readonly SecretShape[] = [
  shape(
    ['aws-access-key', 'an AWS access key'],
    ['AKIA', 'ASIA', 'ABIA', 'ACCA', 'A3T'],
    ['(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}', false],
  ),
  shape(
    ['github-token', 'a GitHub token'],
    ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    ['gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{36,}', true],
  ),
  shape(
    ['gitlab-token', 'a GitLab token'],
    'pat dt rt rtr ptt cbt ft ffct imt agent oas soat'.split(' ').map((type) => `gl${type}-`),
    ['gl(?:pat|dt|rtr?|ptt|cbt|ft|ffct|imt|agent|oas|soat)-[A-Za-z0-9_-]{20,}', true],
  ),
  shape(
    ['slack-token', 'a Slack token'],
    ['xox', 'xapp-', 'slack.com/services/'],
    [
      'xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}' +
        '|hooks\\.slack\\.com/services/[A-Z0-9]{8,}/[A-Z0-9]{8,}/[A-Za-z0-9]{20,}',
      true,
      'xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}' +
        '|hooks\\.slack\\.com/services/[A-Z0-9]{8,80}/[A-Z0-9]{8,80}/[A-Za-z0-9]{20,}',
    ],
  ),
  shape(
    ['stripe-key', 'a Stripe key'],
    ['k_live_', 'k_test_', 'k_prod_', 'whsec_'],
    ['[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{32,}', true],
  ),
  shape(['anthropic-key', 'an Anthropic key'], ['sk-ant-'], ['sk-ant-[A-Za-z0-9_-]{20,}', true]),
  shape(
    ['openai-key', 'an OpenAI key'],
    ['sk-'],
    ['sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}', true],
  ),
  shape(
    ['google-key', 'a Google key'],
    ['AIza', 'GOCSPX-'],
    ['AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{28}', false],
  ),
  shape(
    ['jwt', 'a JSON web token'],
    ['eyJ'],
    [
      'eyJ[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{10,}(?:\\.[A-Za-z0-9_-]+)?',
      true,
      'eyJ[A-Za-z0-9_-]{10,300}\\.eyJ[A-Za-z0-9_-]{10,}(?:\\.[A-Za-z0-9_-]+)?',
    ],
  ),
  shape(
    ['private-key', 'a private key'],
    ['PRIVATE KEY'],
    [
      '-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----',
      true,
      '-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----',
    ],
  ),
  ...serviceShapes.map(([kind, label, hints, pattern, open]) =>
    Object.assign(shape([kind, label], hints, [pattern, open]), { check: new RegExp(pattern) }),
  ),
]
