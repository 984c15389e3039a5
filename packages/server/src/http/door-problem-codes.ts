/** Who comes through a browser from somewhere else: a part of the table in `problem-codes.ts`. */

/** The kinds by code. */
export const doorProblemKinds = {
  foreign_origin: {
    status: 403,
    title: 'A page of another origin may not do this',
    help: 'Where no key is asked for, and for every WebSocket, what a page sends must come from the address that it asks: a proxy must keep the Host header. `server.origins` and `server.cors.origins` name other origins. Programs send no Origin.',
  },
  foreign_host: {
    status: 421,
    title: 'This server has another name',
    help: 'Where no key is asked for, a server answers to localhost, 127.0.0.1, [::1] and the address that it listens on. `server.hosts` names more.',
  },
} as const
