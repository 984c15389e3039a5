/**
 * Files by which programs run later: what a shell, git, a package manager, an editor, a build server or this engine reads on
 * its own and obeys. Whoever writes one of them runs a program with the rights of whoever starts the next command.
 *
 * Names are in lower case. The list follows the manuals of the programs; source code that tests run is not on it.
 */
import { isWild, matchesWildcard } from '../wildcard.ts'
import { protectedFromWriting } from './sensitive.ts'

/** No limit opens these: they are obeyed by programs that every passport for development allows. */
const never = [
  '.git',
  '.gitconfig',
  '.ssh',
  '.*shrc',
  '.bash_aliases',
  '.elvish',
  '.forward',
  '.lessfilter',
  '.local/share/applications',
  '.local/share/dbus-1',
  '.local/share/systemd',
  '.logout',
  '.oh-my-zsh',
  '.procmailrc',
  '.qmail*',
  '.rhosts',
  '.shosts',
  '.vnc',
  'library/launchagents',
  'library/launchdaemons',
  '.bashrc.d',
  '.zlogout',
  '.inputrc',
  '.xinitrc',
  '.xprofile',
  '.xsession*',
  '.xsessionrc',
  '.pam_environment',
  '.envrc',
  '.direnv',
  '.local/bin',
  '.config/autostart',
  '.config/direnv',
  '.config/bash',
  '.config/dbus-1',
  '.config/elvish',
  '.config/environment.d',
  '.config/nushell',
  '.config/oils',
  '.config/powershell',
  '.config/xonsh',
  '.config/zsh',
  '.config/fish',
  '.config/git',
  '.config/systemd',
  'bash.bashrc',
  'config.fish',
  'signalbox.config.*',
  'sitecustomize.py',
  'usercustomize.py',
  '*.pth',
]

/** `allowed_startup_files` opens these, one by one. */
const project = [
  // Git beside its own folder.
  '.gitattributes',
  '.gitmodules',
  // Hooks and what runs them.
  '.githooks',
  '.husky',
  '.huskyrc*',
  '.lefthook*',
  'lefthook*.yml',
  'lefthook*.yaml',
  'lefthook*.toml',
  '.lintstagedrc*',
  'lint-staged.config.*',
  '.overcommit.yml',
  '.pre-commit-config.yaml',
  '.pre-commit-config.yml',
  '.pre-commit-hooks.yaml',
  '.simple-git-hooks.*',
  'simple-git-hooks.*',
  '.hg',
  '.hgrc',
  '.bzr',
  '.jj',
  '.sl',
  '.svn',
  // Files that programs read in the folder of their settings, and start-up files as a class.
  '.config',
  '.*rc',
  // Agents and editors.
  '.amazonq',
  '.augment',
  '.cline',
  '.clinerules',
  '.codex',
  '.copilot',
  '.crush',
  '.crush.json',
  'crush.json',
  '.factory',
  '.goose',
  '.junie',
  '.kiro',
  '.opencode',
  'opencode.json*',
  '.openhands',
  '.qwen',
  '.roo',
  '.roomodes',
  '.trae',
  '.mcp.json',
  'mcp.json',
  'mcp_config.json',
  '.aider*',
  '.claude',
  '.continue',
  '.cursor',
  '.gemini',
  '.windsurf',
  '.devcontainer',
  '.devcontainer.json',
  '.dir-locals*.el',
  '.doom.d',
  '.externaltoolbuilders',
  '.gitpod.y*ml',
  '.gitpod.dockerfile',
  '.idx',
  '.replit',
  'replit.nix',
  '.run',
  '.spacemacs*',
  '.theia',
  '.vs',
  '.vscode-server*',
  'devfile.y*ml',
  '.devfile.y*ml',
  '.emacs',
  '.emacs.d',
  '.fleet',
  '.idea',
  '.nova',
  '.nvim.lua',
  '.sublime-project',
  '*.sublime-project',
  '*.code-workspace',
  '.vim',
  '.vscode',
  '.zed',
  '_vimrc',
  // Build servers and platforms.
  '.ebextensions',
  '.evergreen.y*ml',
  '.harness',
  '.packit.y*ml',
  '.platform/hooks',
  '.platform/confighooks',
  '.prow.y*ml',
  '.prow',
  '.space.kts',
  '.vela.y*ml',
  '.zuul.y*ml',
  '.zuul.d',
  'zuul.d',
  'zuul.y*ml',
  'amplify.yml',
  'appspec.y*ml',
  'earthfile',
  'firebase.json',
  'heroku.yml',
  'nixpacks.toml',
  '.appveyor.yml',
  'appveyor.yml',
  '.azure-pipelines',
  '.azure-pipelines.y*ml',
  'azure-pipelines*.y*ml',
  'bitbucket-pipelines.y*ml',
  'bitrise.yml',
  '.build.yml',
  '.builds',
  '.buildkite',
  'buildspec*.y*ml',
  '.circleci',
  '.cirrus.star',
  '.cirrus.y*ml',
  'cloudbuild*.json',
  'cloudbuild*.y*ml',
  'codefresh.y*ml',
  '.codefresh',
  'codemagic.y*ml',
  '.drone.*',
  '.forgejo/workflows',
  '.gitea/workflows',
  '.github/actions',
  '.github/workflows',
  '.gitlab',
  '.gitlab-ci*.y*ml',
  'gitlab-ci*.y*ml',
  'jenkinsfile*',
  '*.jenkinsfile',
  '.scrutinizer.yml',
  'screwdriver.y*ml',
  '.semaphore',
  '.teamcity',
  '.tekton',
  '.travis.y*ml',
  'wercker.yml',
  '.woodpecker',
  '.woodpecker.y*ml',
  'app.yaml',
  'fly.toml',
  'netlify.toml',
  'procfile*',
  'railway.json',
  'railway.toml',
  'render.y*ml',
  'skaffold.y*ml',
  'tiltfile',
  'vagrantfile',
  'vercel.json',
  // Package managers and command runners.
  'package.json',
  '.npmrc',
  '.pnp.cjs',
  '.pnp.loader.mjs',
  '.pnpmfile.*js',
  'pnpm-workspace.yaml',
  '.yarn',
  '.yarnrc',
  '.yarnrc.yml',
  '.bunfig.toml',
  'bunfig.toml',
  'node_modules/.bin',
  '.bundle',
  '.cargo',
  '.sbtopts',
  '.jvmopts',
  '.nuget',
  'nuget.config',
  'ansible.cfg',
  '.ansible.cfg',
  'directory.build.props',
  'directory.build.targets',
  'rust-toolchain',
  'rust-toolchain.toml',
  '.gradle',
  '.m2',
  '.mvn',
  '.pip',
  'pip.conf',
  'composer.json',
  'deno.json*',
  'gradle.properties',
  'gradlew*',
  'mvnw*',
  '.justfile',
  'justfile',
  'gnumakefile',
  'makefile',
  'makefile.am',
  '*.mk',
  'rakefile*',
  'taskfile*.y*ml',
  'noxfile.py',
  'tox.ini',
  '.mise*.toml',
  'mise*.toml',
  '.tool-versions',
  'shell.nix',
  'flake.nix',
  // Start-up files of other programs.
  '.erlang',
  '.gdbearlyinit',
  '.gdbinit',
  '.ghci',
  '.gnuplot',
  '.guile',
  '.iex.exs',
  '.ipython',
  '.juliarc.jl',
  '.julia',
  '.jupyter',
  '.lein',
  '.lesskey',
  '.lldbinit*',
  '.mailcap',
  '.ocamlinit',
  '.perldb',
  '.pythonrc*',
  '.renviron*',
  '.rprofile',
  '.rspec',
  '.sqliterc',
  '.tmux.conf',
  '.xsel*',
]

/** They say how a text is written, or name a version: of the class `.*rc` they are no start-up files. */
const harmless = new Set([
  '.babelrc',
  '.browserslistrc',
  '.commitlintrc',
  '.csslintrc',
  '.csscombrc',
  '.eslintrc',
  '.htmlhintrc',
  '.htmllintrc',
  '.jscsrc',
  '.jshintrc',
  '.jsbeautifyrc',
  '.markdownlintrc',
  '.mdlrc',
  '.nvmrc',
  '.nycrc',
  '.oxlintrc',
  '.parcelrc',
  '.postcssrc',
  '.prettierrc',
  '.remarkrc',
  '.sasslintrc',
  '.stylelintrc',
  '.swcrc',
  '.terserrc',
  '.textlintrc',
  '.tslintrc',
  '.yamllintrc',
])

/** Why nobody may write to a path, and whether a passport can open it. */
export interface Protection {
  readonly pattern: string
  readonly canBeOpened: boolean
}

/** The protection of a canonical path; null if there is none. A name with wildcards counts as each name it matches. */
export function protectionOf(path: string): Protection | null {
  const system = protectedFromWriting(path)
  const names = folded(path).split('/')
  const pattern = system ?? never.find((each) => holds(names, each))
  if (pattern !== undefined) return { pattern, canBeOpened: false }
  const opened = project.find((each) => holds(names, each))
  return opened === undefined ? null : { pattern: opened, canBeOpened: true }
}

/** Is the path above a protected one, so that a link to it leads there? */
export function isAboveProtected(path: string): boolean {
  const lower = path.toLowerCase()
  return [...never, ...project].some((each) => {
    const end = each.lastIndexOf('/')
    return end > 0 && `/${lower}`.endsWith(`/${each.slice(0, end)}`)
  })
}

/** One spelling of names that some file systems take for the same; `git~1` is a short name of `.git`. */
const folded = (path: string): string =>
  path
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/(^|\/)git~\d+(?=\/|$)/g, '$1.git')

function holds(names: readonly string[], pattern: string): boolean {
  const steps = pattern.split('/')
  return names.some((_, at) =>
    steps.every((step, n) => {
      const name = names[at + n]
      if (name === undefined || (step === '.*rc' && harmless.has(name))) return false
      return matchesWildcard(step, name) || couldBe(name, step)
    }),
  )
}

/** Could a name with wildcards stand for a protected one? A leading dot must be written out, as in a shell. */
function couldBe(name: string, step: string): boolean {
  if (!/[*?[]/.test(name)) return false
  const example = isWild(step) ? step.replaceAll(/[*?]/g, 'a') : step
  if (example.startsWith('.') && !name.startsWith('.')) return false
  return matchesWildcard(name.replaceAll(/\[[^[\]]*\]/g, '?'), example)
}
