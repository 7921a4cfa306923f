// Backups in a bucket of a real S3 server: made, listed, verified and restored; refusals, and uploads stopped halfway.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { generateIdentity } from 'age-encryption'
import { bucketPlace } from '../../plugins/backups/places/bucket.ts'
import { eventually } from '../support/eventually.ts'
import { IS_LONG } from '../support/long.ts'
import { hasS3Server, type S3Server, startS3Server } from '../support/s3-server.ts'
import { temporary } from '../support/temporary.ts'
import { type Load, startLoad } from './load.ts'
import { answerHere, answerOf, endedHere, expectSame, refusalHere } from './support.ts'

const TIMES = IS_LONG ? 20 : 1
const ENV = { BACKUP_SECRET: 'a-secret-of-the-bucket', BACKUP_PASSPHRASE: 'one open sesame' }

describe.skipIf(!hasS3Server)('a bucket', () => {
  let s3: S3Server
  let load: Load
  let data: string[]
  beforeAll(async () => {
    s3 = await startS3Server()
    load = await startLoad(`
[backup]
bucket = "${s3.bucket}"
endpoint = "${s3.endpoint}"
prefix = "home"
access_key_id = "${s3.access_key_id}"
secret_access_key = "env:BACKUP_SECRET"
passphrase = "env:BACKUP_PASSPHRASE"
`)
    data = ['--data', load.gateway.data_folder]
  }, 60_000)
  afterAll(async () => {
    await load?.[Symbol.asyncDispose]()
    await s3?.[Symbol.asyncDispose]()
  })
  const address = (name: string) => `s3://${s3.bucket}/home/${name}`
  /** The environment of another machine, which has no catalogue yet. */
  const elsewhere = () => ({
    AWS_ACCESS_KEY_ID: s3.access_key_id,
    AWS_SECRET_ACCESS_KEY: s3.secret_access_key,
    AWS_ENDPOINT_URL: s3.endpoint,
  })

  test(
    `a backup under load is restored into an empty folder, ${TIMES} times`,
    async () => {
      for (let time = 1; time <= TIMES; time++) {
        const before = load.done.calls
        await eventually('calls came', () => load.done.calls >= before + 3)
        using folder = temporary()
        // A passphrase takes seconds of CPU to make and to open each; archive.test.ts has it.
        const by_key = ['--key-file', folder.at('key')]
        await Bun.write(folder.at('key'), `${await generateIdentity()}\n`)
        const made = await answerOf(['backup', ...by_key, ...data], ENV)
        expect(made).toMatchObject({ clean: true, encrypted: true, missing: [], file: address(made.name) })
        expect(
          Buffer.from(await Bun.file(s3.file(`home/${made.name}`)).bytes()).toString('latin1'),
        ).toStartWith('age-encryption.org/v1\n')
        const { backups } = await answerHere(['backup', 'list', ...data], ENV)
        expect(backups[0]).toMatchObject({
          name: made.name,
          bytes: made.bytes,
          encrypted: true,
          scheduled: false,
        })
        expect(await answerHere(['backup', 'verify', made.name, ...by_key, ...data], ENV)).toMatchObject({
          clean: true,
        })
        const restored = folder.at('restored')
        const command = ['restore', address(made.name), ...by_key, '--data', restored]
        expect(await answerOf(command, elsewhere())).toMatchObject({ clean: true, calls: made.calls })
        expect(await answerHere(['audit', '--data', restored])).toMatchObject({ clean: true, findings: [] })
        const { files, calls } = await expectSame(restored, load.gateway.data_folder)
        if (IS_LONG) process.stderr.write(`${time}: ${calls} calls, ${files} files\n`)
      }
      expect(load.done.failed).toEqual([])
    },
    TIMES * 60_000,
  )

  test.each([
    ['a wrong secret', { BACKUP_SECRET: 'another' }, 'the secret_access_key is wrong'],
    ['a secret that is not set', { BACKUP_SECRET: '' }, 'BACKUP_SECRET'],
    ['a passphrase that is not set', { BACKUP_PASSPHRASE: '' }, 'BACKUP_PASSPHRASE'],
  ])('%s is refused, and nothing is sent', async (_, changed, message) => {
    const before = s3.objects()
    const words = await refusalHere(['backup', ...data], { ...ENV, ...changed })
    expect(words).toContain(message)
    expect(words).not.toContain('another')
    expect(s3.objects()).toEqual(before)
  })

  test.each([
    ['an unknown key', { AWS_ACCESS_KEY_ID: 'nobody' }, 'backups', 'the access_key_id is unknown'],
    ['no key', { AWS_ACCESS_KEY_ID: '' }, 'elsewhere', 'set AWS_ACCESS_KEY_ID'],
    ['an unknown bucket', {}, 'elsewhere', 'bucket not found'],
    ['an unreachable server', { AWS_ENDPOINT_URL: 'http://127.0.0.1:9' }, 'elsewhere', 'and that it runs'],
  ])('%s is refused with the reason', async (_, changed, bucket, message) => {
    using folder = temporary()
    expect(
      await refusalHere(['restore', `s3://${bucket}/a.tar.zst.age`, '--data', folder.path], {
        ...elsewhere(),
        ...changed,
      }),
    ).toContain(message)
  })

  test('an unencrypted archive does not leave the machine', async () => {
    using folder = temporary()
    await endedHere(['account', 'create', 'anna', '--data', folder.path])
    const before = s3.objects()
    expect(await refusalHere(['backup', address('plain'), '--data', folder.path], elsewhere())).toContain(
      'must be encrypted to leave this machine',
    )
    expect(s3.objects()).toEqual(before)
  })

  test('an upload stopped halfway leaves nothing', async () => {
    const before = s3.objects()
    const place = bucketPlace({ ...s3, region: 'us-east-1', prefix: '' })
    async function* blocks(count: number) {
      for (let block = 0; block < count; block++) yield new Uint8Array(1024 * 1024).fill(block)
    }
    async function* breaking() {
      // More than one part, so that the upload has started.
      yield* blocks(24)
      throw new Error('the disk is gone')
    }
    await expect(place.put('broken', breaking(), 1)).rejects.toThrow('the disk is gone')
    await eventually('nothing is left', () => Bun.deepEquals(s3.objects(), before))
    expect(await place.put('whole', blocks(24), 1)).toBe(24 * 1024 * 1024)
    await eventually('the object exists', () => s3.objects().includes('whole'))
    await expect(place.put('whole', blocks(1), 1)).rejects.toThrow('is not overwritten')
  })
})
