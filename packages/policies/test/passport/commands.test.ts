/** Commands: the weak points of the published rules, and the lists of a passport. */
import { describe, expect, test } from 'vitest'
import { command } from './passports.ts'

const dangerous = 'oap.dangerous_operation'

describe('weak points of the published rules', () => {
  const git = { allowed_commands: ['git'] }

  test('commands match by startsWith: "git" allows "gitevil"', () => {
    expect(command(git, 'gitevil')).toBe('oap.command_not_allowed')
    expect(command(git, 'git status')).toBe('allow')
  })

  test('"git" allows "git; rm -rf ~"', () => {
    expect(command(git, 'git; rm -rf ~')).toBe(dangerous)
    expect(command(git, 'git; rm x')).toBe('oap.command_not_allowed')
  })

  test('a missing or empty allowlist means allow', () => {
    expect(command({ allowed_commands: [] }, 'ls')).toBe('oap.command_not_allowed')
    expect(command({ allowed_commands: [''] }, 'ls')).toBe('oap.command_not_allowed')
    expect(command({ allowed_commands: ['git', 'git status'] }, 'ls')).toBe(
      'oap.command_not_allowed',
    )
  })

  test('a call with no command skips all checks and is allowed', () => {
    expect(command({}, '')).toBe('oap.invalid_context')
  })

  test('only the first program of a chain is checked', () => {
    expect(command(git, 'git status; anything')).toBe('oap.command_not_allowed')
  })

  test('no max_execution_time, cwd or env checks locally', () => {
    const limits = {
      ...git,
      max_execution_time: 60,
      allowed_working_directories: ['/srv/app'],
      blocked_env_vars: ['AWS_*', 'TOKEN'],
    }
    expect(command(limits, 'git status', { timeout: 61 })).toBe('oap.limit_exceeded')
    expect(command(limits, 'git status', { timeout_ms: 60_001 })).toBe('oap.limit_exceeded')
    expect(command(limits, 'git status', { timeout: 60 })).toBe('allow')
    expect(command(limits, 'git status', { timeout_ms: 60_000 })).toBe('allow')
    expect(command(limits, 'git status', { timeout: 'long' })).toBe('oap.invalid_context')
    expect(command(limits, 'git status', { cwd: '/srv/app/../other' })).toBe(
      'oap.directory_not_allowed',
    )
    expect(command(limits, 'git status', { cwd: '/srv/apple' })).toBe('oap.directory_not_allowed')
    expect(command(limits, 'git status', { cwd: '/srv/app/x' })).toBe('allow')
    expect(command(limits, 'git -C /etc status')).toBe('oap.directory_not_allowed')
    expect(command(limits, 'TOKEN=1 git status')).toBe('oap.env_var_blocked')
    expect(command(limits, 'env AWS_KEY=1 git status')).toBe('oap.env_var_blocked')
    expect(command(limits, 'git status', { env: { TOKEN: '1' } })).toBe('oap.env_var_blocked')
    expect(command({ ...limits, allowed_commands: ['*'] }, 'cd / && ls')).toBe(
      'oap.directory_not_allowed',
    )
    expect(command({ ...limits, allowed_commands: ['*'] }, 'cd && ls')).toBe(
      'oap.directory_not_allowed',
    )
  })
})

describe('allowed_commands', () => {
  const limits = { allowed_commands: ['git status', 'npm run *', 'ls', 'sudo apt'] }

  test.each([
    ['git status --short', 'allow'],
    [`'git' "status"`, 'allow'],
    ['git', 'oap.command_not_allowed'],
    ['git push', 'oap.command_not_allowed'],
    ['git $X', 'oap.command_not_allowed'],
    ['git -c core.pager=x status', 'oap.command_not_allowed'],
    ['npm run build', 'allow'],
    ['npm install', 'oap.command_not_allowed'],
    ['./ls', 'oap.command_not_allowed'],
    ['/tmp/ls', 'oap.command_not_allowed'],
    ['LS', 'oap.command_not_allowed'],
    ['env nohup time ls', 'allow'],
    ['env nohup time cat x', 'oap.command_not_allowed'],
    ['xargs ls', 'allow'],
    ['xargs cat', 'oap.command_not_allowed'],
    ['xargs -I status git status', 'oap.command_not_allowed'],
    ['sudo ls', 'oap.command_not_allowed'],
    ['sudo apt update', 'allow'],
    ['apt update', 'oap.command_not_allowed'],
    ["sh -c 'ls'", 'oap.command_not_allowed'],
    ['x=$(cat y); ls', 'oap.command_not_allowed'],
    ['x=$(ls); ls', 'allow'],
    ['find . -exec ls {} +', 'oap.command_not_allowed'],
    ['PATH=/tmp ls', 'oap.env_var_blocked'],
    ['GIT_SSH_COMMAND=x git status', 'oap.env_var_blocked'],
    ['for PATH in /tmp; do ls; done', 'oap.env_var_blocked'],
  ])('%j: %s', (text, code) => {
    expect(command(limits, text)).toBe(code)
  })

  test('arguments in a list of their own: neither quoted nor unquoted may they be more commands', () => {
    expect(command(limits, 'ls', { args: ['-l', 'my file'] })).toBe('allow')
    expect(command(limits, 'ls', { args: ['x; cat y'] })).toBe('oap.command_not_allowed')
    expect(command(limits, 'ls', { args: 'x' })).toBe('oap.invalid_context')
    expect(command(limits, 'git', { args: ['status'] })).toBe('allow')
    expect(command(limits, 'git', { args: ['push'] })).toBe('oap.command_not_allowed')
  })

  test('a second command under another name is judged, too', () => {
    expect(command(limits, 'ls', { cmd: 'cat x' })).toBe('oap.command_not_allowed')
  })

  test('another shell has another grammar', () => {
    expect(command({}, 'ls', { shell: 'powershell' })).toBe('oap.invalid_context')
    expect(command({}, 'ls', { shell: 'bash' })).toBe('allow')
  })
})

test.each([
  ['sudo', 'SUDO ls', 'oap.blocked_pattern'],
  ['sudo', 'pseudosudo ls', 'allow'],
  ['rm -rf', `r"m"  -rf x`, 'oap.blocked_pattern'],
  ['rm -rf', "sh -c 'rm   -rf x'", 'oap.blocked_pattern'],
  ['git push *', 'git push origin', 'oap.blocked_pattern'],
  ['git push *', 'git pull', 'allow'],
  ['*secret*', 'cat my-secrets.txt', 'oap.blocked_pattern'],
  ['', 'ls', 'allow'],
])('blocked_patterns: %j and %j is %s', (pattern, text, code) => {
  expect(command({ blocked_patterns: [pattern] }, text)).toBe(code)
})

test('require_confirmation asks a person', () => {
  expect(command({ require_confirmation: true }, 'ls')).toBe('approval_required')
  expect(command({ require_confirmation: true, allowed_commands: ['git'] }, 'ls')).toBe(
    'oap.command_not_allowed',
  )
})
