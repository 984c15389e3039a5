/** Why a connection does not become a WebSocket. */
export const socketProblemKinds = {
  foreign_origin: {
    status: 403,
    title: 'A page of another origin may not open this',
    help: 'A WebSocket is opened by pages of the address that it leads to: a proxy must keep the Host header. Programs send no Origin.',
  },
  upgrade_required: {
    status: 426,
    title: 'This address is for a WebSocket',
    help: 'Ask with `Connection: Upgrade`, `Upgrade: websocket` and version 13; a proxy must let both headers pass. The same events are server-sent where POST asks for them.',
  },
} as const
