// State of the connection to the gateway: calls report it, and a lost connection is retried every 2 seconds.

import { addressOf } from './gateway-address.ts'
import { createNotifier } from './notifier.ts'

const RETRY_EVERY_MS = 2_000

const changes = createNotifier<boolean>()
let connected = true
let timer: ReturnType<typeof setTimeout> | undefined

/** Whether the last call reached the gateway. */
export const isConnected = (): boolean => connected

/** Calls `listen` when the connection is lost, and when it is back. @returns the function that removes the listener */
export const onConnection = changes.on

function setConnected(is_connected: boolean): void {
  if (connected === is_connected) return
  connected = is_connected
  changes.notify(is_connected)
}

export function connectionLost(): void {
  setConnected(false)
  timer ??= setTimeout(() => void tryAgain(), RETRY_EVERY_MS)
}

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
    // The gateway cannot be reached yet; the banner is visible already.
    connectionLost()
  }
}
