// The running part of sign-up: the challenges, the list of throw-away domains, the warning when the mails are used up, and the welcome credit.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { HOUR_MS } from '../../src/domain/ranges.ts'
import { type Altcha, createAltcha } from './altcha.ts'
import { createDisposableDomains, type DisposableDomains } from './disposable.ts'
import { isSignUpOpen, type SignUpSettings, signUpSettings } from './settings.ts'
import { termsOfService } from './terms.ts'
import { type CheckTurnstile, createTurnstile, TURNSTILE_ORIGIN } from './turnstile.ts'
import {
  broughtOfWelcome,
  returnedOfWelcome,
  type WelcomeParts,
  welcomeOf,
  welcomesBetween,
} from './welcome.ts'

export interface SignUpParts {
  altcha: Altcha
  turnstile: CheckTurnstile
  disposable: DisposableDomains
  /** The form is answered no earlier than this, so that the time reveals nothing about the address. */
  answers_after_ms: number
  wait: (ms: number) => Promise<void>
  /** Warns in the log, at most once an hour, that sign-ups have used up the mails of the hour. */
  onMailsUsedUp: (max: number) => void
  settings: () => SignUpSettings
  welcome: WelcomeParts
}

/** Much longer than a transaction takes, and short for a person. */
const ANSWERS_AFTER_MS = 400

/** Opens sign-up: adds its link to the sign-in form, and allows the page to load Turnstile's script if Turnstile is the challenge. */
export function openSignUp(gateway: Gateway): SignUpParts {
  const { calls, people, operations, db } = gateway
  const { catalogue, now, log, ledger } = calls
  const settings = () => signUpSettings.of(catalogue())
  const welcome = { db, ledger, now, log, welcomeNanos: () => settings().welcome_nanos }
  operations.payment_shares.push((order) => welcomeOf(welcome, order))
  operations.gifts.push({
    title: 'Welcome credits',
    read: welcomesBetween,
    brought: broughtOfWelcome,
    returned: returnedOfWelcome,
  })
  people.sign_in_ways.push({ name: 'sign_up', isOffered: () => isSignUpOpen(catalogue()) })
  people.page_sources.push({
    path: 'sign-up',
    origins: () => (settings().challenge?.kind === 'turnstile' ? [TURNSTILE_ORIGIN] : []),
  })
  people.terms = termsOfService(catalogue)
  let warned_at_ms = Number.NEGATIVE_INFINITY
  return {
    altcha: createAltcha({ db, now, randomBytes: people.randomBytes }),
    turnstile: createTurnstile(),
    disposable: createDisposableDomains(operations.data_folder),
    answers_after_ms: ANSWERS_AFTER_MS,
    wait: (ms) => Bun.sleep(Math.max(0, ms)),
    settings,
    welcome,
    onMailsUsedUp(max) {
      if (Math.abs(now() - warned_at_ms) < HOUR_MS) return
      warned_at_ms = now()
      log.warn(
        { mails_per_hour: max },
        'sign-ups reached the limit of mails per hour: further ones are refused until the next hour; raise mails_per_hour in [sign_up] if they are real',
      )
    },
  }
}
