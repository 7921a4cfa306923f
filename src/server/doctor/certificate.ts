// The doctor's look at TLS: whether the certificate and its key fit, how long it is valid, and who can read the key.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isLoopback, parseListenAddress } from '../../domain/listen-address.ts'
import { messageOf } from '../../domain/thrown.ts'
import type { Diagnosis } from '../../surface/doctor.ts'
import { endOf } from '../certificate-end.ts'
import { readTlsPair, type TlsFiles, type TlsPair, tlsFilesOf } from '../tls-files.ts'
import { fail, ok, type ReadPatient, warn } from './diagnosis.ts'

const CHECK = 'certificate'
const OTHERS_READ = 0o004
const OTHERS_AND_GROUP_READ = 0o044
const KEY_CHECK = 'key of TLS'

export async function checkCertificate(patient: ReadPatient): Promise<Diagnosis[]> {
  const { server } = patient.catalogue
  const files = tlsFilesOf(server, patient.data_folder)
  if (files) return await checkPair(files, patient)
  if (
    isLoopback(parseListenAddress(server.listen).hostname) ||
    server.public_url?.startsWith('https:') ||
    server.trusted_proxies.length > 0
  )
    return [ok(CHECK, 'none: the gateway speaks plain HTTP to this machine or to a proxy')]
  return [
    warn(
      CHECK,
      `callers come to ${server.listen} by plain HTTP, where anyone on the way can read their keys`,
      'Name tls_certificate and tls_key in [server], or put a proxy with TLS in front and set public_url.',
    ),
  ]
}

async function checkPair(
  files: TlsFiles,
  { data_folder, now }: Pick<ReadPatient, 'data_folder' | 'now'>,
): Promise<Diagnosis[]> {
  try {
    return [validity(await readTlsPair(files), now()), ...keyMode(files, data_folder)]
  } catch (refusal) {
    const advice =
      'Put the right files in place: a running gateway keeps the pair before, and takes these up.'
    return [fail(CHECK, messageOf(refusal), advice)]
  }
}

function validity(pair: TlsPair, now_ms: number): Diagnosis {
  const { end, days } = endOf(pair, now_ms)
  const found = `of ${pair.names}, until ${new Date(pair.valid_until_ms).toISOString().slice(0, 10)}`
  if (end === 'past') return fail(CHECK, `${found}: it has expired`, 'Renew it: callers refuse to connect.')
  if (pair.valid_from_ms > now_ms)
    return fail(CHECK, `${found}: it is not valid yet`, 'See whether this machine has the right time.')
  if (end === 'soon')
    return warn(
      CHECK,
      `${found}: ${Math.floor(days)} days`,
      'Renew it, and see why that was not done by itself. The gateway takes the new files up.',
    )
  return ok(CHECK, found)
}

function keyMode({ key }: TlsFiles, data_folder: string): Diagnosis[] {
  const { mode, uid } = statSync(key)
  // Root, who runs this often, reads everything; whoever runs the gateway owns its folder.
  const user = statSync(data_folder).uid
  if (user !== 0 && user !== uid && (mode & OTHERS_AND_GROUP_READ) === 0)
    return [
      fail(
        KEY_CHECK,
        `user ${user}, who owns ${data_folder} and runs the gateway, cannot read ${key}`,
        `Put it where that user can read it, and nobody else: install -D -m 600 -o ${user} -t ${join(data_folder, 'tls')} ${key}`,
      ),
    ]
  if ((mode & OTHERS_READ) === 0) return []
  return [fail(KEY_CHECK, `everybody on this machine may read ${key}`, `chmod o= ${key}`)]
}
