// Events of how people sign in, for what tells them: raised in the transaction of what happened.
import type { Tx } from '../store/db.ts'
import type { PersonRow } from '../store/schema.ts'

/** Somebody signed in from a place where they have not signed in before. */
interface NewPlace {
  kind: 'new_place'
  person: PersonRow
  address: string
  user_agent: string
  at_ms: number
}

/** How a person signs in was changed. */
interface SignInChanged {
  kind: 'changed'
  /** As they were before it. */
  person: PersonRow
  change:
    | 'email'
    | 'password'
    | 'passkey'
    | 'passkey_removed'
    | 'passkey_copied'
    | 'identity'
    | 'identity_removed'
  /** The address that they have shown to be theirs in its course. */
  new_email?: string
  at_ms: number
}

export type SignInEvent = NewPlace | SignInChanged

export interface SignInEvents {
  /** Adds a listener. What it throws undoes what happened. */
  on(listener: (tx: Tx, event: SignInEvent) => Promise<void>): void
  /** Raises an event. In the caller's transaction. */
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
