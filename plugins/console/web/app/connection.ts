// Whether the gateway can be reached: calls report it, and it is tried until it is back.
import { createNotifier } from './notifier.ts'
import { addressOf } from './place.ts'

const TRY_EVERY_MS = 2_000

const changes = createNotifier<boolean>()
let connected = true
let timer: ReturnType<typeof setTimeout> | undefined

/** Whether the last call reached the gateway. */
export const isConnected = (): boolean => connected

/** Calls `listen` when the connection is lost, and when it is back. @returns how to stop */
export const onConnection = changes.on

function setConnected(is_connected: boolean): void {
  if (connected === is_connected) return
  connected = is_connected
  changes.notify(is_connected)
}

/** A call did not reach the gateway. */
export function connectionLost(): void {
  setConnected(false)
  timer ??= setTimeout(() => void tryAgain(), TRY_EVERY_MS)
}

/** A call reached the gateway. */
export function connectionWorks(): void {
  clearTimeout(timer)
  timer = undefined
  setConnected(true)
}

async function tryAgain(): Promise<void> {
  timer = undefined
  try {
    await fetch(addressOf('/healthz'), { cache: 'no-store' })
    connectionWorks()
  } catch {
    // Still away; the banner shows it already.
    connectionLost()
  }
}
