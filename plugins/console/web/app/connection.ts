// Whether the gateway can be reached: told by the calls that are made, and tried until it is back.
import { createNews } from './news.ts'

const TRY_EVERY_MS = 2_000

const news = createNews<boolean>()
let connected = true
let timer: ReturnType<typeof setTimeout> | undefined

/** Whether the last call reached the gateway. */
export const isConnected = (): boolean => connected

/** A call did not reach the gateway. */
export function connectionLost(): void {
  if (connected) tell(false)
  timer ??= setTimeout(() => void tryAgain(), TRY_EVERY_MS)
}

/** A call reached the gateway. */
export function connectionWorks(): void {
  clearTimeout(timer)
  timer = undefined
  if (!connected) tell(true)
}

/** Calls `hear` when the connection is lost, and when it is back. @returns how to stop */
export const onConnection = news.on

function tell(now_connected: boolean): void {
  connected = now_connected
  news.tell(now_connected)
}

async function tryAgain(): Promise<void> {
  timer = undefined
  try {
    await fetch('/healthz', { cache: 'no-store' })
    connectionWorks()
  } catch {
    // Still away, which is shown already.
    connectionLost()
  }
}
