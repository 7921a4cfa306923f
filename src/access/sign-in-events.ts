// Events on people's sign-in, for notifications; raised in the transaction of their cause.
import type { Tx } from '../store/db.ts'
import type { PersonRow } from '../store/schema.ts'

/** A person signed in from a new address. */
interface NewPlace {
  kind: 'new_place'
  person: PersonRow
  address: string
  user_agent: string
  at_ms: number
}

/** A way to sign in was changed. */
interface SignInChanged {
  kind: 'changed'
  /** The person before the change. */
  person: PersonRow
  change:
    | 'email'
    | 'password'
    | 'passkey'
    | 'passkey_removed'
    | 'passkey_copied'
    | 'identity'
    | 'identity_removed'
  /** The newly verified address. */
  new_email?: string
  at_ms: number
}

export type SignInEvent = NewPlace | SignInChanged

export interface SignInEvents {
  /** Adds a listener. An error of a listener rolls the transaction back. */
  on(listener: (tx: Tx, event: SignInEvent) => Promise<void>): void
  /** Raises an event in the caller's transaction. */
  raise(tx: Tx, event: SignInEvent): Promise<void>
}

export function createSignInEvents(): SignInEvents {
  const listeners: Parameters<SignInEvents['on']>[0][] = []
  return {
    on: (listener) => listeners.push(listener),
    async raise(tx, event) {
      for (const listener of listeners) await listener(tx, event)
    },
  }
}
