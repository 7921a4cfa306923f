// The check of TLS, also for alerts: the certificate matches its key, is not about to expire, and only the gateway's user can read the key.
import { join } from 'node:path'
import {
  type CheckTime,
  type Diagnosis,
  diagnosesOf,
  type ReadContext,
} from '../../../src/app/checks/check.ts'
import { endOf } from '../../../src/app/process/certificate-end.ts'
import { readTlsPair, type TlsFiles, type TlsPair, tlsFilesOf } from '../../../src/app/process/tls-files.ts'
import { counted } from '../../../src/utilities/counted.ts'
import { isLoopback, parseListenAddress } from '../../../src/utilities/listen-address.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import { checkReaders } from './key-readers.ts'

const { fail, ok, warn } = diagnosesOf('certificate')
const OTHERS_READ = 0o004
const of_key = diagnosesOf('key of TLS')

/** @param time alerts are raised only for the gateway's own certificate, and not for plain HTTP or file modes */
export async function checkCertificate(
  context: ReadContext,
  time: CheckTime = 'doctor',
): Promise<Diagnosis[]> {
  const { server } = context.catalogue
  const files = tlsFilesOf(server, context.data_folder)
  if (files) return await checkPair(files, context, time)
  if (time === 'alert') return []
  if (
    isLoopback(parseListenAddress(server.listen).hostname) ||
    server.public_url?.startsWith('https:') ||
    server.trusted_proxies.length > 0
  )
    return [ok('not configured: plain HTTP for this machine or a proxy')]
  return [
    warn(
      `plain HTTP at ${server.listen}: others on the network can read callers’ keys`,
      'Set tls_certificate and tls_key in [server], or use a proxy with TLS and set public_url.',
    ),
  ]
}

async function checkPair(
  files: TlsFiles,
  { data_folder, now }: Pick<ReadContext, 'data_folder' | 'now'>,
  time: CheckTime,
): Promise<Diagnosis[]> {
  try {
    const of_pair = validity(await readTlsPair(files), now())
    return time === 'alert' ? [of_pair] : [of_pair, ...keyMode(files, data_folder)]
  } catch (refusal) {
    const advice = 'Replace the files. A running gateway keeps the old pair until the new one is valid.'
    return [fail(messageOf(refusal), advice)]
  }
}

function validity(pair: TlsPair, now_ms: number): Diagnosis {
  const { end, days } = endOf(pair, now_ms)
  const found = `for ${pair.names}, valid until ${new Date(pair.valid_until_ms).toISOString().slice(0, 10)}`
  if (end === 'past') return fail(`${found}: it has expired`, 'Renew it: callers refuse to connect.')
  if (pair.valid_from_ms > now_ms)
    return fail(`${found}: it is not valid yet`, 'Check the time of this machine.')
  if (end === 'soon')
    return warn(
      `${found}: ${counted(Math.floor(days), 'day')} left`,
      'Renew it, and check why it was not renewed automatically. The gateway loads the new files.',
    )
  return ok(found)
}

const keyMode = ({ key }: TlsFiles, data_folder: string): Diagnosis[] =>
  checkReaders(key, {
    data_folder,
    others: OTHERS_READ,
    fail: of_key.fail,
    adviceFor: (user) =>
      `Copy it to a file that only that user can read: install -D -m 600 -o ${user} -t ${join(data_folder, 'tls')} ${key}`,
  })
