/** Examples of what several events hold. */
export const exampleRun = '01934f3e-8a10-7c3e-9d55-0b6a4f1e2c77'
export const child = '01934f3e-9b21-7d4f-8e66-1c7b5a2f3d88'
export const exampleCall = 'c_0b6a4f1e2c77_1_0'
export const answerId = 'm_0b6a4f1e2c77_1'
export const exampleDefinition = '0d9c6a1f3b5e7d2c4f6a8b0c1d3e5f7a9b1c3d5e7f9a0b2c4d6e8f0a1b2c3d4e'
export const argsHash = `hk1:${exampleDefinition}`
export const of = { effectId: `${exampleRun}.2`, attempt: 1 }
export const ofExampleCall = { ...of, callId: exampleCall }
export const suppressed = [
  {
    name: 'write_file',
    argsBytes: 412,
    argsHmac: '5b1f0c2d7e9a4b6c8d0e1f3a5b7c9d1e3f5a7b9c0d2e4f6a8b0c1d3e5f7a9b1c',
  },
]
export const policyDigest =
  'sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae'
export const policy = { policyId: 'passport', policyDigest }
export const stumble = {
  guardrail: { id: 'no-guarantees', name: 'Banned terms' },
  outcome: 'fail' as const,
  feedback:
    'I was about to write a term that is not allowed, which I must not do here. I will answer again without it.',
  partType: 'text' as const,
  offset: 64,
}
export const loop = { set: '9a3f5c7e1b2d', tools: ['read_file'] }
export const said = {
  content: [{ type: 'text' as const, text: 'Created report.md (1204 bytes).' }],
}
