/** The answer, or a rejection when there is none within `timeoutMs`. */
export function within<T>(timeoutMs: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(new Error(`no answer within ${timeoutMs} ms`))
    // Timers run before sockets are read. A process that was busy for the whole time looks at what has
    // arrived once more before it calls the other side silent.
    const timer = setTimeout(() => setImmediate(expire), timeoutMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
