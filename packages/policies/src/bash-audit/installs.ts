/** Commands of package managers that install. */
import type { Word } from '../shell/script.ts'

const node = 'add i in ins install ci clean-install it cit install-test install-ci-test link'.split(
  ' ',
)

const orders: ReadonlyMap<string, readonly string[]> = new Map([
  ['npm', node],
  ['pnpm', [...node, 'dlx']],
  ['yarn', ['add', 'install', '']],
  ['bun', ['add', 'install', 'i']],
  ['deno', ['add', 'install']],
  ['pip', ['install']],
  ['pipx', ['install']],
  ['uv', ['add', 'sync', 'pip install', 'tool install']],
  ['poetry', ['add', 'install']],
  ['conda', ['create', 'install']],
  ['mamba', ['create', 'install']],
  ['easy_install', ['*']],
  ['apt', ['install', 'reinstall', 'build-dep', 'full-upgrade', 'upgrade']],
  ['apt-get', ['install', 'reinstall', 'build-dep', 'dist-upgrade', 'upgrade']],
  ['aptitude', ['install', 'reinstall']],
  ['dpkg', ['-i', '--install']],
  ['rpm', ['-i', '-U', '-ivh', '-Uvh', '--install']],
  ['yum', ['install', 'reinstall', 'localinstall']],
  ['dnf', ['install', 'reinstall']],
  ['zypper', ['in', 'install']],
  ['apk', ['add']],
  ['pacman', ['-S', '-Sy', '-Syu', '-U']],
  ['brew', ['install', 'reinstall']],
  ['snap', ['install']],
  ['flatpak', ['install']],
  ['gem', ['install', 'i']],
  ['bundle', ['add', 'install', '']],
  ['cargo', ['add', 'install']],
  ['go', ['get', 'install']],
  ['composer', ['install', 'require']],
  ['cpan', ['*']],
  ['cpanm', ['*']],
  ['nix-env', ['-i', '-iA', '--install']],
])

/** Options of which the next word is the value. */
const valued = /^(?:--(?:prefix|dir|cwd|filter|workspace|root|target|color)|-[wC])$/

/** Does a program install packages, by these words? */
export function installs(name: string, words: readonly Word[]): boolean {
  const texts = words.map(({ text }) => text)
  if (/^python[0-9.]*$/.test(name)) {
    const at = texts.indexOf('-m')
    return at > 0 && texts[at + 1] === 'pip' && texts.slice(at + 2).includes('install')
  }
  const known = orders.get(name.replace(/^pip[0-9.]+$/, 'pip'))
  if (known === undefined) return false
  if (known.includes('*') && texts.length > 1) return true
  const rest = texts
    .slice(1)
    .filter((text, at) => !valued.test(text) && !valued.test(texts[at] ?? ''))
  const operands = rest.filter((text) => !text.startsWith('-'))
  const [first = '', second = ''] = operands
  // Of `yarn --version` nothing is installed, of `yarn` alone everything.
  if (first === '' && rest.length > 0)
    return known.some((order) => order !== '' && rest.includes(order))
  const isOption = known.some((order) => order.startsWith('-') && rest.includes(order))
  return isOption || known.includes(first) || known.includes(`${first} ${second}`)
}
