// The browser's part of the passkey ceremonies, with errors that say what to do.
import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser'
import { api, send } from '../../console/web/app/client.ts'

/** Whether this browser supports passkeys at this address: none does at an IP address. */
export const hasPasskeys = (): boolean =>
  browserSupportsWebAuthn() && !/^(\[|\d+(\.\d+){3}$)/.test(location.hostname)

export async function addPasskey(name: string): Promise<void> {
  const { options } = await send(api.passkeys.begin.post())
  const response = await withPlainErrors(() => startRegistration({ optionsJSON: options }))
  await send(api.passkeys.post({ name, response }))
}

export async function signInByPasskey(): Promise<void> {
  const { options } = await send(api.passkeys['sign-in'].begin.post())
  const response = await withPlainErrors(() => startAuthentication({ optionsJSON: options }))
  await send(api.passkeys['sign-in'].post({ response }))
}

export async function confirmByPasskey(): Promise<void> {
  const { options } = await send(api.passkeys.confirm.begin.post())
  const response = await withPlainErrors(() => startAuthentication({ optionsJSON: options }))
  await send(api.passkeys.confirm.post({ response }))
}

async function withPlainErrors<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (thrown) {
    const cause = thrown instanceof WebAuthnError ? thrown.cause : thrown
    const name = cause instanceof Error ? cause.name : ''
    throw new Error(WORDS[name] ?? 'Your browser could not use a passkey. Try again, or use another way.')
  }
}

/** Messages by the names of the browser's errors (https://www.w3.org/TR/webauthn-3/#sctn-op-create). */
const WORDS: Readonly<Record<string, string>> = {
  NotAllowedError: 'No passkey was used: it was cancelled, or took too long. Try again.',
  AbortError: 'No passkey was used: it was cancelled. Try again.',
  InvalidStateError: 'This device has a passkey for you already. Use another device.',
  SecurityError: 'Passkeys are not available at this address. Open the console at its public address.',
  NotSupportedError: 'This device cannot use passkeys here. Use another device, or another way to sign in.',
}
