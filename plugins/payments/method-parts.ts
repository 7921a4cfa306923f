// The parts that built-in payment methods are made with.
import type { PaymentParts } from './parts.ts'
import type { PaymentSettings } from './settings.ts'

/** The requests to servers. */
export type Network = (url: string, init: RequestInit) => Promise<Response>

export interface MethodParts extends Pick<PaymentParts, 'db' | 'now' | 'log' | 'publicUrl'> {
  settings: () => PaymentSettings
  network: Network
}
