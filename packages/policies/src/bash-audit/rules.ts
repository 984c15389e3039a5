/**
 * The rules of the audit of `bash`. An edition never changes: what was decided by it is decided the same for as long as its runs are kept.
 * A rule that says more, or something else, is another edition.
 */

/** The subject of a rule: where an adapter has neither host nor network, a rule about one only flags. */
type Subject = 'host' | 'network' | null

interface Rule {
  readonly verdict: 'refuse' | 'flag'
  readonly about: Subject
  /** For the model: what is wrong, and what to do instead. */
  readonly says: string
}

/** By the name that follows `bash.` in codes and events. */
export const bashRules = {
  empty: {
    verdict: 'refuse',
    about: null,
    says: 'There is no command: write at least one.',
  },
  too_long: {
    verdict: 'refuse',
    about: null,
    says: 'The command has more than 10,000 characters: write the script to a file and run that.',
  },
  control_characters: {
    verdict: 'refuse',
    about: null,
    says: 'The command has NUL, another control character or an invisible one: leave it out, or write it as an escape such as \\x01.',
  },
  fork_bomb: {
    verdict: 'refuse',
    about: null,
    says: 'The command defines a function that starts itself without end.',
  },
  preload: {
    verdict: 'refuse',
    about: 'host',
    says: 'The command sets a variable by which every program loads other code.',
  },
  socket: {
    verdict: 'refuse',
    about: 'network',
    says: 'The command opens a network connection from the shell (/dev/tcp, /dev/udp): use curl with an allowed host.',
  },
  secrets: {
    verdict: 'refuse',
    about: 'host',
    says: 'The command reads secrets of the machine.',
  },
  protected_place: {
    verdict: 'refuse',
    about: 'host',
    says: 'The command writes to, or removes from, a place of the system or a file that shells and git run by themselves: work in the workspace.',
  },
  machine: {
    verdict: 'refuse',
    about: 'host',
    says: 'The command formats disks or stops the machine.',
  },
  device: {
    verdict: 'refuse',
    about: 'host',
    says: 'The command uses dd on something that is no plain file of the workspace: name files of the workspace in if= and of=.',
  },
  vital_mode: {
    verdict: 'refuse',
    about: 'host',
    says: 'The command changes rights or owners over the whole machine.',
  },
  vital_removal: {
    verdict: 'refuse',
    about: 'host',
    says: 'The command removes what the machine or a user needs: name what is to go, below the workspace.',
  },
  unseen_removal: {
    verdict: 'refuse',
    about: 'host',
    says: 'The command removes folders whose names cannot be told before it runs: write the names out, or set them in the same command.',
  },
  downloaded_program: {
    verdict: 'refuse',
    about: 'network',
    says: 'The command runs a program that it downloads: save it to a file, read it, and then run the file.',
  },
  decoded_program: {
    verdict: 'refuse',
    about: null,
    says: 'The command runs a program that it decodes: write the program out as it is.',
  },
  world_writable: {
    verdict: 'flag',
    about: null,
    says: 'It gives everybody all rights to files; the owner rarely needs more than u+rwx.',
  },
  install: {
    verdict: 'flag',
    about: null,
    says: 'It installs packages, which run code of others.',
  },
  sudo: { verdict: 'flag', about: 'host', says: 'It asks for rights of another user.' },
  path: {
    verdict: 'flag',
    about: null,
    says: 'It changes PATH, and with it which programs later names mean.',
  },
  dot_file: {
    verdict: 'flag',
    about: null,
    says: 'It writes to a hidden file, which programs may obey by themselves.',
  },
  unreadable: {
    verdict: 'flag',
    about: null,
    says: 'A part of it could not be read before it ran.',
  },
  many_commands: {
    verdict: 'flag',
    about: null,
    says: 'It has more than 50 commands: smaller steps are easier to check.',
  },
} as const satisfies Readonly<Record<string, Rule>>

/** The name of a rule. */
export type BashRule = keyof typeof bashRules

/** One finding of a rule in a script. */
export interface BashFinding {
  readonly rule: BashRule
  /** The detail of it, in words of ours and never in those of the script; empty where the rule says it all. */
  readonly what: string
}
