import { RegisterTimeout } from './register-errors.ts'

/**
 * Every method of a port, given up after `ms`. The engine is patient with a register that is away; a caller of the API
 * gets an answer, and repeats the request.
 */
export function inTime<Port extends object>(port: Port, ms: number): Port {
  return new Proxy(port, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver)
      if (typeof member !== 'function') return member
      return (...args: unknown[]): unknown => {
        const answer: unknown = Reflect.apply(member, target, args)
        return answer instanceof Promise ? orTimeout(answer, ms) : answer
      }
    },
  })
}

function orTimeout<T>(answer: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new RegisterTimeout(`the register did not answer within ${ms} ms`)),
      ms,
    )
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
