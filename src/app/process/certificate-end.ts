// The expiry of a certificate: how near it is, and a daily warning in the log.
import { DAY_MS } from '../../domain/ranges.ts'
import type { Logger } from '../../observe/log.ts'
import type { TlsPair } from './tls-files.ts'

/** Certificates of 90 days are renewed 30 days before they expire, so a renewal has failed by then. */
const SOON_DAYS = 14

type CertificateEnd = 'past' | 'soon' | 'far'

/** @returns the state, and the days left, which may be negative */
export function endOf(
  { valid_until_ms }: Pick<TlsPair, 'valid_until_ms'>,
  now_ms: number,
): { end: CertificateEnd; days: number } {
  const days = (valid_until_ms - now_ms) / DAY_MS
  return { days, end: days < 0 ? 'past' : days < SOON_DAYS ? 'soon' : 'far' }
}

type Pair = Pick<TlsPair, 'names' | 'valid_until_ms'>
type Parts = { log: Pick<Logger, 'info' | 'warn'>; now: () => number }

const WORDS: Readonly<Record<CertificateEnd, string>> = {
  past: ', and has expired: callers refuse to connect. Renew it',
  soon: ', and ends soon. Renew it, and see why that was not done by itself',
  far: '',
}

/** Logs a message about a certificate, as a warning if it expires soon or has expired. */
export function logCertificate({ log, now }: Parts, message: string, pair: Pair): void {
  const { end } = endOf(pair, now())
  const fields = { names: pair.names, valid_until: new Date(pair.valid_until_ms).toISOString() }
  log[end === 'far' ? 'info' : 'warn'](fields, message + WORDS[end])
}

/** Warns once a day while the certificate in use expires soon. The timer does not keep the process alive. @returns stops the timer */
export function watchExpiry(parts: Parts, inUse: () => Pair, every_ms = DAY_MS): () => void {
  const timer = setInterval(() => {
    if (endOf(inUse(), parts.now()).end !== 'far') logCertificate(parts, 'a certificate is in use', inUse())
  }, every_ms)
  timer.unref()
  return () => clearInterval(timer)
}
