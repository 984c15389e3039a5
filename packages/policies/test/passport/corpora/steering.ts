/**
 * Variables and files by which an allowed program runs another one. Each case says how to see it: the files it takes, the
 * command somebody would type, and what steers it. `EVIL` stands for a program that leaves a proof, `PROOF` for that file.
 */

/** A folder, a command in it, and the programs it takes. */
interface Case {
  readonly needs: readonly string[]
  readonly command: string
  readonly files?: { readonly [path: string]: string }
  /** Commands that prepare the folder. */
  readonly setup?: string
}

export interface VariableCase extends Case {
  readonly name: string
  readonly value: string
}

export interface FileCase extends Case {
  readonly path: string
  readonly content: string
}

const repository =
  'git init -q . && git config user.name a && git config user.email a@example.com && echo a > a.txt && git add a.txt && git commit -qm one && git commit -q --allow-empty -m two && echo b > a.txt'
const gitConfig = '[core]\n\tfsmonitor = EVIL\n'
const npmProject = {
  'package.json': '{"name":"x","version":"1.0.0","scripts":{"test":"node ok.js"}}',
  'ok.js': '',
}
const makefile = { Makefile: 'all:\n\t@true\n', 'x.c': 'int x;\n' }
const crate = {
  'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\n',
  'src/lib.rs': '',
}
const library = {
  'evil.c':
    '#include <fcntl.h>\n__attribute__((constructor)) static void run(void) { creat("PROOF", 0600); }\nunsigned la_version(unsigned v) { return v; }\n',
}
const compile = 'gcc -shared -fPIC -o evil.so evil.c'
const python = "open('PROOF', 'w').close()\n"
const javascript = "require('fs').writeFileSync('PROOF', '')\n"
const perl = "open(my $f, '>', 'PROOF'); 1;\n"

const git = { needs: ['git'], setup: repository, command: 'git status' }
const npm = { needs: ['npm', 'node'], files: npmProject, command: 'npm test' }
const make = { needs: ['make'], files: makefile, command: 'make' }

export const variables: readonly VariableCase[] = [
  { ...git, name: 'HOME', value: './home', files: { 'home/.gitconfig': gitConfig } },
  { ...git, name: 'XDG_CONFIG_HOME', value: './xdg', files: { 'xdg/git/config': gitConfig } },
  { ...git, name: 'GIT_CONFIG_GLOBAL', value: './evil.cfg', files: { 'evil.cfg': gitConfig } },
  { ...git, name: 'GIT_CONFIG_SYSTEM', value: './evil.cfg', files: { 'evil.cfg': gitConfig } },
  { ...git, name: 'GIT_CONFIG_PARAMETERS', value: "'core.fsmonitor=EVIL'" },
  {
    ...git,
    name: 'GIT_CONFIG_COUNT',
    value: '1',
    command: 'GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=EVIL git status',
  },
  {
    ...git,
    name: 'GIT_DIR',
    value: './other/.git',
    setup: `${repository}; git init -q other; git -C other config core.fsmonitor EVIL`,
  },
  { ...git, name: 'GIT_EXTERNAL_DIFF', value: 'EVIL', command: 'git diff' },
  { ...git, name: 'GIT_EDITOR', value: 'EVIL', command: 'git commit --allow-empty' },
  { ...git, name: 'EDITOR', value: 'EVIL', command: 'git commit --allow-empty' },
  { ...git, name: 'VISUAL', value: 'EVIL', command: 'git commit --allow-empty' },
  {
    ...git,
    name: 'GIT_SEQUENCE_EDITOR',
    value: 'EVIL',
    command: 'git stash -q && git rebase -i HEAD~1',
  },
  { ...git, name: 'GIT_SSH', value: 'EVIL', command: 'git ls-remote ssh://localhost/x' },
  { ...git, name: 'GIT_SSH_COMMAND', value: 'EVIL', command: 'git ls-remote ssh://localhost/x' },
  { ...git, name: 'GIT_PROXY_COMMAND', value: 'EVIL', command: 'git ls-remote git://localhost/x' },
  {
    ...git,
    name: 'GIT_EXEC_PATH',
    value: './bin',
    setup: `${repository}; mkdir bin; cp EVIL bin/git-submodule`,
    command: 'git submodule status',
  },
  {
    ...git,
    name: 'GIT_TEMPLATE_DIR',
    value: './tpl',
    setup: `${repository}; mkdir -p tpl/hooks; cp EVIL tpl/hooks/post-checkout`,
    command: 'git clone -q . copy',
  },
  { ...git, name: 'GIT_TRACE', value: 'PROOF' },
  { ...git, name: 'GIT_TRACE2_EVENT', value: 'PROOF' },
  {
    ...git,
    name: 'PATH',
    value: './bin:/usr/bin:/bin',
    setup: `${repository}; mkdir bin; cp EVIL bin/git`,
  },
  {
    needs: ['gcc'],
    name: 'LD_PRELOAD',
    value: './evil.so',
    files: library,
    setup: compile,
    command: 'ls',
  },
  {
    needs: ['gcc'],
    name: 'LD_AUDIT',
    value: './evil.so',
    files: library,
    setup: compile,
    command: 'ls',
  },
  {
    needs: ['node'],
    name: 'NODE_OPTIONS',
    value: '--require ./evil.js',
    files: { 'evil.js': javascript, 'ok.js': '' },
    command: 'node ok.js',
  },
  {
    needs: ['node'],
    name: 'NODE_PATH',
    value: './lib',
    files: { 'lib/helper.js': javascript, 'ok.js': "try { require('helper') } catch {}" },
    command: 'node ok.js',
  },
  {
    needs: ['node'],
    name: 'NODE_REDIRECT_WARNINGS',
    value: 'PROOF',
    files: { 'ok.js': "process.emitWarning('x')" },
    command: 'node ok.js',
  },
  { ...npm, name: 'npm_config_script_shell', value: 'EVIL' },
  { ...npm, name: 'NPM_CONFIG_SCRIPT_SHELL', value: 'EVIL' },
  {
    ...npm,
    name: 'npm_config_userconfig',
    value: './evil.rc',
    files: { ...npmProject, 'evil.rc': 'script-shell=EVIL\n' },
  },
  {
    ...npm,
    name: 'npm_config_globalconfig',
    value: './evil.rc',
    files: { ...npmProject, 'evil.rc': 'script-shell=EVIL\n' },
  },
  {
    ...npm,
    name: 'npm_config_node_options',
    value: '--require ./evil.js',
    files: { ...npmProject, 'evil.js': javascript },
  },
  {
    needs: ['python3'],
    name: 'PYTHONPATH',
    value: './lib',
    files: { 'lib/sitecustomize.py': python, 'ok.py': '' },
    command: 'python3 ok.py',
  },
  {
    needs: ['python3'],
    name: 'PYTHONUSERBASE',
    value: './base',
    files: { 'evil.py': python, 'ok.py': '' },
    setup:
      'd=$(PYTHONUSERBASE=./base python3 -m site --user-site); mkdir -p "$d"; cp evil.py "$d/usercustomize.py"',
    command: 'python3 ok.py',
  },
  {
    needs: ['python3'],
    name: 'PYTHONSTARTUP',
    value: './evil.py',
    files: { 'evil.py': python },
    command: 'python3 -i < /dev/null',
  },
  {
    needs: ['python3'],
    name: 'PYTHONBREAKPOINT',
    value: 'evil.run',
    files: { 'evil.py': `def run():\n    ${python}`, 'ok.py': 'breakpoint()\n' },
    command: 'python3 ok.py < /dev/null',
  },
  {
    needs: ['perl'],
    name: 'PERL5LIB',
    value: './lib',
    files: { 'lib/helper.pm': perl, 'ok.pl': 'eval { require helper };' },
    command: 'perl ok.pl',
  },
  {
    needs: ['perl'],
    name: 'PERL5OPT',
    value: '-I. -Mevil',
    files: { 'evil.pm': perl, 'ok.pl': '1;' },
    command: 'perl ok.pl',
  },
  {
    needs: ['perl'],
    name: 'PERL5DB',
    value: "BEGIN { open(my $f, '>', 'PROOF') }",
    files: { 'ok.pl': '1;' },
    command: 'perl -d ok.pl < /dev/null',
  },
  {
    needs: ['bash'],
    name: 'BASH_ENV',
    value: 'EVIL',
    files: { 'ok.sh': ':' },
    command: 'bash ok.sh',
  },
  { needs: ['dash'], name: 'ENV', value: 'EVIL', command: 'dash -i < /dev/null' },
  { needs: ['bash'], name: 'PROMPT_COMMAND', value: 'EVIL', command: 'bash --norc -i < /dev/null' },
  { ...make, name: 'MAKEFLAGS', value: String.raw`--eval=$$(shell\ EVIL)` },
  { ...make, name: 'GNUMAKEFLAGS', value: String.raw`--eval=$$(shell\ EVIL)` },
  {
    ...make,
    name: 'MAKEFILES',
    value: './evil.txt',
    files: { ...makefile, 'evil.txt': 'X := $(shell EVIL)\n' },
  },
  { ...make, name: 'CC', value: 'EVIL', command: 'make x.o' },
  { ...make, needs: ['make', 'gcc'], name: 'CFLAGS', value: '-wrapper EVIL', command: 'make x.o' },
  {
    needs: ['gcc'],
    name: 'COMPILER_PATH',
    value: './bin',
    files: makefile,
    setup: 'mkdir bin; cp EVIL bin/as',
    command: 'gcc -c x.c',
  },
  {
    needs: ['tar'],
    name: 'TAR_OPTIONS',
    value: '--checkpoint=1 --checkpoint-action=exec=EVIL',
    files: { 'a.txt': 'a' },
    command: 'tar -cf x.tar a.txt',
  },
  {
    needs: ['less'],
    name: 'LESSOPEN',
    value: '|EVIL %s',
    files: { 'a.txt': 'a' },
    command: 'less a.txt | cat',
  },
  {
    needs: ['java'],
    name: 'JAVA_TOOL_OPTIONS',
    value: '-Xlog:gc:file=PROOF',
    command: 'java -version',
  },
  {
    needs: ['java'],
    name: 'JDK_JAVA_OPTIONS',
    value: '-Xlog:gc:file=PROOF',
    command: 'java -version',
  },
  {
    needs: ['curl'],
    name: 'CURL_HOME',
    value: './home',
    files: { 'home/.curlrc': 'output = "PROOF"\n', 'a.txt': 'a' },
    command: 'curl -s "file://$PWD/a.txt"',
  },
  {
    needs: ['cargo'],
    name: 'RUSTC',
    value: 'EVIL',
    files: crate,
    command: 'cargo check --offline',
  },
  {
    needs: ['cargo'],
    name: 'RUSTC_WRAPPER',
    value: 'EVIL',
    files: crate,
    command: 'cargo check --offline',
  },
  { needs: ['vim'], name: 'VIMINIT', value: ':silent !EVIL', command: 'vim -c q < /dev/null' },
  {
    needs: ['rg'],
    name: 'RIPGREP_CONFIG_PATH',
    value: './evil.rc',
    files: { 'evil.rc': '--pre=EVIL\n', 'a.txt': 'a' },
    command: 'rg a',
  },
]

const home = { needs: ['bash'], command: 'true' }

export const startingFiles: readonly FileCase[] = [
  { ...git, path: '.git/config', content: gitConfig },
  { ...git, path: '.gitconfig', content: gitConfig },
  { ...git, path: '.config/git/config', content: gitConfig },
  {
    ...git,
    path: '.git/hooks/pre-commit',
    content: '#!/bin/sh\nEVIL\n',
    command: 'git commit --allow-empty -m x',
  },
  {
    ...git,
    path: '.husky/pre-commit',
    content: '#!/bin/sh\nEVIL\n',
    setup: `${repository}; git config core.hooksPath .husky`,
    command: 'git commit --allow-empty -m x',
  },
  {
    ...git,
    path: '.gitattributes',
    content: '*.txt diff=shown\n',
    setup: `${repository}; git config diff.shown.command EVIL`,
    command: 'git diff',
  },
  {
    ...git,
    path: '.git/info/attributes',
    content: '*.txt diff=shown\n',
    setup: `${repository}; git config diff.shown.command EVIL`,
    command: 'git diff',
  },
  { ...npm, path: 'package.json', content: '{"name":"x","scripts":{"test":"EVIL"}}' },
  { ...npm, path: '.npmrc', content: 'script-shell=EVIL\n' },
  { ...make, path: 'Makefile', content: 'all:\n\t@EVIL\n' },
  { ...make, path: 'GNUmakefile', content: 'all:\n\t@EVIL\n' },
  { ...make, path: 'makefile', content: 'all:\n\t@EVIL\n' },
  { ...home, path: '.bashrc', content: 'EVIL\n', command: 'bash -i -c true' },
  { ...home, path: '.bash_profile', content: 'EVIL\n', command: 'bash -l -c true' },
  { ...home, path: '.bash_login', content: 'EVIL\n', command: 'bash -l -c true' },
  { ...home, path: '.profile', content: 'EVIL\n', command: 'bash -l -c true' },
  { ...home, path: '.bash_logout', content: 'EVIL\n', command: 'bash -l -c exit' },
  {
    needs: ['python3'],
    path: '.pdbrc',
    content: `!${python}`,
    files: { 'ok.py': 'x = 1\n' },
    command: 'python3 -m pdb ok.py < /dev/null',
  },
  {
    needs: ['perl'],
    path: '.perldb',
    content: perl,
    files: { 'ok.pl': '1;' },
    command: 'perl -d ok.pl < /dev/null',
  },
  {
    needs: ['prove'],
    path: '.proverc',
    content: '--exec EVIL\n',
    files: { 't/ok.t': 'print qq(1..1\\nok 1\\n);' },
    command: 'prove',
  },
  {
    needs: ['curl'],
    path: '.curlrc',
    content: 'output = "PROOF"\n',
    files: { 'a.txt': 'a' },
    command: 'curl -s "file://$PWD/a.txt"',
  },
  {
    needs: ['cargo'],
    path: '.cargo/config.toml',
    content: '[build]\nrustc = "EVIL"\n',
    files: crate,
    command: 'cargo check --offline',
  },
  { needs: ['gdb'], path: '.gdbinit', content: 'shell EVIL\n', command: 'gdb -batch < /dev/null' },
  { needs: ['vim'], path: '.vimrc', content: 'silent !EVIL\n', command: 'vim -c q < /dev/null' },
  { needs: ['zsh'], path: '.zshrc', content: 'EVIL\n', command: 'zsh -i -c true' },
  { needs: ['zsh'], path: '.zshenv', content: 'EVIL\n', command: 'zsh -c true' },
  { needs: ['fish'], path: '.config/fish/config.fish', content: 'EVIL\n', command: 'fish -c true' },
  {
    needs: ['direnv'],
    path: '.envrc',
    content: 'EVIL\n',
    command: 'direnv allow . && direnv exec . true',
  },
  { needs: ['rake'], path: 'Rakefile', content: 'task(:default) { sh "EVIL" }\n', command: 'rake' },
]
