export { createMemoryRegister, type MemoryRegister } from './register.ts'
export { createMemoryQueue, createMemoryWakeBus } from './hints.ts'
