/** A passport as somebody writes it for an agent that develops a program in one repository. */
import type { JsonObject } from '@signalbox/core'
import { passport, spec } from '../passports.ts'

const git =
  'add blame branch checkout cherry-pick clean clone commit describe diff fetch grep init log ls-files merge merge-base mv pull push rebase remote reset restore rev-parse rm shortlog show stash status switch tag worktree'
const programs =
  '[ awk basename cargo cat cd chmod cmp comm cp curl cut date df diff dirname du echo export false file find go grep gunzip gzip head id jq kill less ln ls make man mkdir mv nl node npm paste printf ps pwd pytest python3 read realpath rg rm sed seq set sha256sum sleep sort stat tac tail tar tee test touch tr tree true tsc uname uniq unzip wait wc which xargs zip gcc'

const commandLimits: JsonObject = {
  allowed_commands: [
    ...git.split(' ').map((command) => `git ${command}`),
    ...programs.split(' '),
    'npx tsc',
    'npx vitest',
    'npx eslint',
    'npx prettier',
    'docker ps',
    'pip install',
  ],
}

export const development = spec(
  passport({
    'system.command.execute': commandLimits,
    'data.file.read': { allowed_paths: ['.'] },
    'data.file.write': { allowed_paths: ['.'] },
  }),
)
