/** The card of an agent: who it is, and how to reach it. */
import type { AgentDefinition } from '@signalbox/core'
import { fileTypes } from '../../files/media-type.ts'

const protocolVersion = '1.0'
const modes = ['text/plain', 'application/json']
/** Files are taken whatever their type is: what the content is, its bytes say. */
const inputModes = [...new Set([...modes, ...fileTypes])]

/** The card. `base` is where the agent answers; `takesFiles` is false where nothing would record them. */
export function agentCard(
  agent: AgentDefinition,
  {
    base,
    version,
    takesFiles,
  }: { readonly base: string; readonly version: string; readonly takesFiles: boolean },
) {
  const { name } = agent
  const about = `The agent "${name}".`
  return {
    name,
    description: about,
    version,
    supportedInterfaces: ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => ({
      url: base,
      protocolBinding,
      protocolVersion,
    })),
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    securitySchemes: {
      key: { httpAuthSecurityScheme: { scheme: 'Bearer' }, type: 'http', scheme: 'Bearer' },
    },
    defaultInputModes: takesFiles ? inputModes : modes,
    defaultOutputModes: modes,
    skills: [{ id: name, name, description: about, tags: ['agent'] }],
    ...older(base),
  }
}

/** What clients of version 0.3 look for. Those of 1.0 take `supportedInterfaces`, and do not look further. */
const older = (base: string) => ({
  protocolVersion: '0.3.0',
  url: base,
  preferredTransport: 'JSONRPC',
  additionalInterfaces: ['JSONRPC', 'HTTP+JSON'].map((transport) => ({ url: base, transport })),
})
