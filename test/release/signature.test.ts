// Signatures of releases: minisign checks ours, we check minisign's; and refusals.
import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSecretKey, sign, verifySignature } from '../../src/build/release/signature.ts'
import { temporary } from '../support/temporary.ts'
import { findTool, MINISIGN } from '../support/tools.ts'
import { secretKeyText } from './signing-key.ts'

const minisign = findTool(MINISIGN)
const WITHOUT = minisign ? '' : ' (not tried: minisign is not installed)'
const MESSAGE = Buffer.from('0123abcd  tollgate.tar.gz\n')

const own = readSecretKey(secretKeyText(7))
const signature = sign(own, MESSAGE, 'tollgate 1.2.3')

/** Runs minisign. @returns its exit status and what it printed */
function run(folder: string, ...words: string[]): { status: number; text: string } {
  const child = Bun.spawnSync([minisign ?? '', ...words], { cwd: folder, stderr: 'pipe' })
  return { status: child.exitCode, text: `${child.stdout}${child.stderr}` }
}

describe.skipIf(!minisign)(`minisign${WITHOUT}`, () => {
  const own_folder = temporary()
  const folder = own_folder.path
  afterAll(() => own_folder[Symbol.dispose]())
  const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content)

  test('accepts what we sign, with its comment, and names the key in the same way', () => {
    write('ours', MESSAGE)
    write('ours.minisig', signature)
    const accepted = run(folder, '-V', '-P', own.public_key, '-m', 'ours')
    expect(accepted).toMatchObject({ status: 0, text: expect.stringContaining('tollgate 1.2.3') })
    write('ours', 'other content')
    expect(run(folder, '-V', '-P', own.public_key, '-m', 'ours').status).not.toBe(0)
    const other = readSecretKey(secretKeyText(8))
    expect(run(folder, '-V', '-P', other.public_key, '-m', 'ours').text).toContain('707070707070707')
  })

  test('makes keys that we sign with, and signatures that we accept', () => {
    expect(run(folder, '-G', '-W', '-p', 'own.pub', '-s', 'own.key').status).toBe(0)
    write('theirs', MESSAGE)
    expect(run(folder, '-S', '-s', 'own.key', '-m', 'theirs', '-t', 'a comment').status).toBe(0)
    const read = (name: string) => readFileSync(join(folder, name), 'utf8')
    expect(verifySignature(read('own.pub'), MESSAGE, read('theirs.minisig'))).toBe('a comment')
    const key = readSecretKey(read('own.key'))
    expect(read('own.pub')).toContain(key.public_key)
    write('theirs.minisig', sign(key, MESSAGE, 'ours now'))
    expect(run(folder, '-V', '-p', 'own.pub', '-m', 'theirs').text).toContain('ours now')
  })

  test('makes signatures without a hash of the file, which are refused', () => {
    write('old', MESSAGE)
    expect(run(folder, '-G', '-W', '-p', 'old.pub', '-s', 'old.key').status).toBe(0)
    expect(run(folder, '-S', '-l', '-s', 'old.key', '-m', 'old').status).toBe(0)
    const [public_key, old] = ['old.pub', 'old.minisig'].map((name) =>
      readFileSync(join(folder, name), 'utf8'),
    )
    expect(() => verifySignature(public_key ?? '', MESSAGE, old ?? '')).toThrow('of an old kind')
  })
})

describe('a signature', () => {
  const [untrusted = '', bytes = '', trusted = '', whole = ''] = signature.split('\n')
  const changed = (text: string, at: number): string => {
    const copy = Buffer.from(text, 'base64')
    copy[at] = (copy[at] ?? 0) ^ 1
    return copy.toString('base64')
  }

  test('is valid for its content, also with the line ends of another system', () => {
    expect(verifySignature(own.public_key, MESSAGE, signature)).toBe('tollgate 1.2.3')
    const key_file = `untrusted comment: minisign public key\r\n${own.public_key}\r\n`
    expect(verifySignature(key_file, MESSAGE, signature.replaceAll('\n', '\r\n'))).toBe('tollgate 1.2.3')
  })

  test.each([
    ['other content', own.public_key, 'other', signature, 'not of this content'],
    [
      'another key',
      readSecretKey(secretKeyText(8)).public_key,
      MESSAGE,
      signature,
      'key 707070707070707, not',
    ],
    ['another comment', own.public_key, MESSAGE, signature.replace('1.2.3', '9.9.9'), 'comment was changed'],
    [
      'a changed bit',
      own.public_key,
      MESSAGE,
      signature.replace(bytes, changed(bytes, 40)),
      'not of this content',
    ],
    [
      'a changed signature of the comment',
      own.public_key,
      MESSAGE,
      signature.replace(whole, changed(whole, 3)),
      'comment',
    ],
    ['no comment', own.public_key, MESSAGE, [untrusted, bytes, '', whole].join('\n'), 'not one of minisign'],
    [
      'no fourth line',
      own.public_key,
      MESSAGE,
      [untrusted, bytes, trusted].join('\n'),
      'comment was changed',
    ],
    ['half of it', own.public_key, MESSAGE, signature.replace(bytes, bytes.slice(8)), 'not one of minisign'],
    ['an empty file', own.public_key, MESSAGE, '', 'not one of minisign'],
    ['an invalid public key', 'RWQ', MESSAGE, signature, 'public key is not one of minisign'],
  ])('is refused with %s', (_, key, message, text, reason) => {
    expect(() => verifySignature(key, Buffer.from(message), text)).toThrow(reason)
  })

  test('cannot have a comment of two lines', () => {
    expect(() => sign(own, MESSAGE, 'one\ntwo')).toThrow('one line')
  })
})

describe('a secret key is refused', () => {
  test.each([
    ['that is encrypted', secretKeyText(7, (bytes) => bytes.write('Sc', 2)), 'minisign -C -W'],
    ['that is damaged', secretKeyText(7, (bytes) => bytes.writeUInt8(9, 70)), 'two halves differ'],
    ['that is a public one', own.public_key, 'minisign -G -W'],
    ['that is empty', '', 'minisign -G -W'],
  ])('%s', (_, text, advice) => {
    const refusal = () => readSecretKey(text)
    expect(refusal).toThrow(advice)
    expect(refusal).toThrow('MINISIGN_KEY: ')
  })
})
