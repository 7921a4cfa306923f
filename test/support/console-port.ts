// The port of console gateways. All gateways of a process use the same port in turn, so that the browser can reuse its pages.
import { freePort } from './free-port.ts'

let port: number | undefined

/** The address for a console gateway, with another port if that of the process is in use, such as by a gateway of the same file. */
export function consoleAddress(): string {
  port ??= freePort()
  return `127.0.0.1:${isFree(port) ? port : 0}`
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
    return true
  } catch {
    // The reason does not matter.
    return false
  }
}
