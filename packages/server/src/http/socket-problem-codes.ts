/** Why a connection does not become a WebSocket. */
export const socketProblemKinds = {
  upgrade_required: {
    status: 426,
    title: 'This address is for a WebSocket',
    help: 'Ask with `Connection: Upgrade`, `Upgrade: websocket` and version 13; a proxy must let both headers pass. The same events are server-sent where POST asks for them.',
  },
} as const
