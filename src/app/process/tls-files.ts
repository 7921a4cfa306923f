// The files of a certificate and its key: read and checked as a pair, and again when they change.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import { onceSettled, stampsOf } from '../../catalogue/file-stamps.ts'
import type { ServerSettings } from '../../domain/catalogue.ts'
import { messageOf } from '../../utilities/thrown.ts'

/** Absolute paths. */
export interface TlsFiles {
  certificate: string
  key: string
}

/** A certificate with its chain, and its key, in PEM. */
export interface TlsPair {
  cert: string
  key: string
  /** The validity of the first certificate in the file, the server's. */
  valid_from_ms: number
  valid_until_ms: number
  /** Its names, such as `DNS:gateway.example.com`. */
  names: string
}

/** Undefined for plain HTTP. Relative paths are relative to the data folder. */
export function tlsFilesOf(
  { tls_certificate, tls_key }: Pick<ServerSettings, 'tls_certificate' | 'tls_key'>,
  data_folder: string,
): TlsFiles | undefined {
  if (tls_certificate === undefined || tls_key === undefined) return undefined
  return { certificate: resolve(data_folder, tls_certificate), key: resolve(data_folder, tls_key) }
}

/** @throws Error for the operator if a file cannot be read or is no PEM, or the key does not match the certificate */
export async function readTlsPair({ certificate, key }: TlsFiles): Promise<TlsPair> {
  const [cert_text, key_text] = await Promise.all([
    readText('tls_certificate', certificate),
    readText('tls_key', key),
  ])
  const leaf = orRefuse(
    () => new X509Certificate(cert_text),
    `${certificate} (tls_certificate) holds no certificate in PEM. It begins with -----BEGIN CERTIFICATE-----, the server's own first.`,
  )
  const private_key = orRefuse(
    () => createPrivateKey(key_text),
    `${key} (tls_key) holds no private key in PEM, or one with a passphrase, which a start could not ask for. Write it without: openssl pkey -in KEY -out FILE`,
  )
  if (!leaf.checkPrivateKey(private_key))
    throw new Error(
      `${key} (tls_key) is not the key of the certificate in ${certificate} (tls_certificate). Name the two files that were made together.`,
    )
  orRefuse(
    () => createSecureContext({ cert: cert_text, key: key_text }),
    `The certificates in ${certificate} (tls_certificate) cannot be used: look for one that was cut.`,
  )
  return {
    cert: cert_text,
    key: key_text,
    valid_from_ms: Date.parse(leaf.validFrom),
    valid_until_ms: Date.parse(leaf.validTo),
    names: leaf.subjectAltName ?? leaf.subject,
  }
}

async function readText(setting: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const reason = messageOf(cause)
    throw new Error(
      `${path} (${setting}) cannot be read: ${reason}. Name a file that this user can read, in [server] of tollgate.toml.`,
      { cause },
    )
  }
}

function orRefuse<T>(read: () => T, message: string): T {
  try {
    return read()
  } catch (cause) {
    throw new Error(message, { cause })
  }
}

export interface TlsWatch {
  /** Reads the files now, even if unchanged. Never throws. */
  read(): Promise<void>
  stop(): void
}

/** Listeners to a changed pair. They must not throw. */
interface TlsWatcher {
  onPair(pair: TlsPair): void
  onTrouble(trouble: unknown): void
}

/**
 * Reads the files again once one has changed and neither changes for a whole interval, since they are written one
 * after the other.
 */
export async function watchTls(files: TlsFiles, watcher: TlsWatcher, poll_ms = 1_000): Promise<TlsWatch> {
  const stamps = await stampsOf([files.certificate, files.key])
  const closed = new AbortController()

  async function read(): Promise<void> {
    try {
      const pair = await readTlsPair(files)
      if (!closed.signal.aborted) watcher.onPair(pair)
    } catch (trouble) {
      watcher.onTrouble(trouble)
    }
  }

  void onceSettled(stamps, read, poll_ms, closed.signal)
  return { read, stop: () => closed.abort() }
}
