/** The allow-list of hosts: how an entry is written, and which address it covers. */
import type { EgressRules, HostRule } from '../sandbox.ts'

/** For messages. */
export const hostRuleForm =
  'a name and a port, "api.example.com:443"; "*." before a name means all below it'

const form =
  /^(\*\.)?((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?):([0-9]{1,5})$/i

/** The rule that a text means; null if it means none. */
export function hostRule(text: string): HostRule | null {
  const [, star, host = '', digits = ''] = form.exec(text) ?? []
  const port = Number(digits)
  if (host === '' || port < 1 || port > 65_535) return null
  return { host: host.toLowerCase(), below: star !== undefined, port }
}

/** Does a rule name this host, or one above it? */
export const covers = (rule: Pick<HostRule, 'host' | 'below'>, name: string): boolean => {
  const host = name.toLowerCase()
  return rule.below ? host.endsWith(`.${rule.host}`) : host === rule.host
}

/** May a command reach this host at this port? */
export const isAllowed = (
  { hosts }: Pick<EgressRules, 'hosts'>,
  asked: { readonly host: string; readonly port: number },
): boolean => hosts.some((rule) => rule.port === asked.port && covers(rule, asked.host))
