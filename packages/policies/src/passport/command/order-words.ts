/**
 * Commands of programs that have many: those that run a text, install a program, or write what later commands obey.
 *
 * O1 Where a program takes any beginning of a command, as npm does, only commands that are known by their whole name pass, and
 *    only options that are known may stand before them.
 */

/** The first word of the program's own, behind options; and whether the options before it are known. */
interface Found {
  readonly at: number
  readonly text: string
}

interface Options {
  readonly flags: RegExp
  readonly valued: RegExp
}

/** Null where there is no command; a command of an empty name where an option is not known. */
function commandOf(texts: readonly string[], { flags, valued }: Options): Found | null {
  for (let at = 1; at < texts.length; at += 1) {
    const text = texts[at] ?? ''
    if (text === '--') return { at: at + 1, text: texts[at + 1] ?? 'help' }
    if (!text.startsWith('-')) return { at, text }
    if (flags.test(text)) continue
    if (!valued.test(text)) return { at, text: '' }
    if (!text.includes('=')) at += 1
  }
  return null
}

const npmOptions: Options = {
  flags:
    /^(?:-[svhyfgqlpDESd]|-dd|-ws|--(?:silent|version|help|yes|force|global|quiet|verbose|json|long|parseable|no-[a-z-]+|offline|prefer-offline|prefer-online|dry-run|if-present|ignore-scripts|legacy-peer-deps|include-workspace-root|workspaces|save-dev|save-exact|production))$/,
  valued: /^(?:-w|--(?:workspace|loglevel|omit|include|depth|tag|access|otp|color))(?:=|$)/,
}
const npmCommands = new Set(
  'access add audit bugs cache ci clean-install completion dedupe ddp deprecate diff dist-tag docs doctor find fund get help help-search hook i ic in info ins inst install install-ci-test install-test it la link list ll ln login logout ls org outdated owner pack ping prefix profile prune publish query r rb rebuild remove repo restart rm root run run-script s sbom search show shrinkwrap star start stop t team test token tst un uninstall unlink unpublish unstar up update v version view whoami why explain'.split(
    ' ',
  ),
)

function npmOrder(texts: readonly string[]): number | null {
  const found = commandOf(texts, npmOptions)
  if (found === null) return null
  const { at, text } = found
  const next = texts[at + 1] ?? ''
  if (text === 'config' || text === 'c') return /^(?:get|list|ls)$/.test(next) ? null : at
  if (text === 'pkg') return next === 'get' ? null : at
  if (text === 'init' || text === 'create' || text === 'innit') {
    const other = texts.findIndex((each, n) => n > at && !/^(?:-y|-f|--yes|--force)$/.test(each))
    return other < 0 ? null : other
  }
  return npmCommands.has(text) ? null : at
}

const cargoOptions: Options = {
  flags: /^(?:-[qvVh]+|-vv|--(?:quiet|verbose|locked|offline|frozen|list|version|help))$/,
  valued: /^--color(?:=|$)/,
}
const cargoCommands = new Set(
  'add audit b bench build c check clean clippy d deny doc fetch fix fmt generate-lockfile help info init llvm-cov locate-project metadata new nextest outdated owner package pkgid publish r remove report rm run search t test tree udeps uninstall update vendor verify-project version yank'.split(
    ' ',
  ),
)

function cargoOrder(texts: readonly string[]): number | null {
  const found = commandOf(texts, cargoOptions)
  return found === null || cargoCommands.has(found.text) ? null : found.at
}

const goFlags = /^--?(?:race|v|x|n|a|cover|work|msan|asan|trimpath)$/

function goOrder(texts: readonly string[]): number | null {
  const at = texts.findIndex((text, n) => n > 0 && /^(?:env|run)$/.test(text))
  if (at < 0) return null
  for (let n = at + 1; n < texts.length; n += 1) {
    const text = texts[n] ?? ''
    const before = texts[n - 1] ?? ''
    if (texts[at] === 'env' && /^--?[wu](?:=|$)/.test(text)) return n
    if (texts[at] !== 'run' || text.startsWith('-')) continue
    const isValue = n > at + 1 && before.startsWith('-') && !goFlags.test(before)
    if (!isValue && (text.startsWith('.') || text.endsWith('.go'))) return null
    if (/@|^[^\s./]+\.[a-z]+\//.test(text)) return n
  }
  return null
}

/** Behind options of the program, the words that these patterns match. */
const orders: ReadonlyMap<string, RegExp> = new Map([
  [
    'git',
    /^(?:(?:merge|pull|rebase) (?:.* )?(?:-s |--strategy[= ])(?!(?:ort|recursive|resolve|octopus|ours|subtree)\b)\S|config (?!--get|--list|-l\b|get\b|list\b)|bisect run|submodule foreach|difftool|mergetool|daemon|web--browse|instaweb|credential|send-email|filter-branch)/,
  ],
  ['yarn', /^(?:-\S+ )*(?:config set|exec|node -e|dlx)/],
  ['pnpm', /^(?:-\S+ )*(?:config set|set|exec -c|pkg set|dlx)/],
  ['pip', /^(?:.* )?config (?:.* )?(?:set|edit|unset)/],
])

/** The index of git's command: behind the options of git itself. */
export function gitCommandAt(texts: readonly string[]): number {
  let at = 1
  while ((texts[at] ?? '').startsWith('-')) at += texts[at] === '-C' || texts[at] === '-c' ? 2 : 1
  return at
}

/** The index of a word by which such a command is given; null if there is none. */
export function orderAt(program: string, texts: readonly string[]): number | null {
  if (program === 'npm') return npmOrder(texts)
  if (program === 'cargo') return cargoOrder(texts)
  if (program === 'go') return goOrder(texts)
  const from = program === 'git' ? gitCommandAt(texts) : 1
  const order = orders.get(program)?.exec(texts.slice(from).join(' '))?.[0]
  return order === undefined ? null : from - 1 + order.trim().split(' ').length
}
