/**
 * The numbers of the descriptors that bwrap is given. `alive`: its other end is the worker's, and is closed when that dies.
 * `groups`: the first of those by which a command enters its control groups.
 */
export const descriptors = { seccomp: 3, status: 4, args: 5, alive: 6, groups: 7 } as const
