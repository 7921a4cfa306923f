// Dependencies of built-in payment methods.
import type { PaymentParts } from './parts.ts'
import type { PaymentSettings } from './settings.ts'

/** Sends HTTP requests; injected for tests. */
export type Network = (url: string, init: RequestInit) => Promise<Response>

export interface MethodParts extends Pick<PaymentParts, 'db' | 'now' | 'log' | 'publicUrl'> {
  settings: () => PaymentSettings
  network: Network
}
