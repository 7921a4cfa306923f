// The owner of an executable: itself, or a package, an image or another user, each with its way to upgrade.
import { describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { executableToReplace, restartCommand } from '../../plugins/upgrade/installation.ts'
import { folderOfEachTest } from '../support/test-folder.ts'

const root = folderOfEachTest()

function put(path: string, text = ''): string {
  const file = root.at(path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}
const find = (path: string) => executableToReplace({ path, is_compiled: true }, root.path)

test('the file behind a link is the one to replace', () => {
  const file = put('opt/tollgate/tollgate')
  symlinkSync(file, root.at('link'))
  put('var/lib/dpkg/info/tollgate.list', `${file}.old\n/usr/share/${file}\n`)
  expect(find(root.at('link'))).toBe(file)
})

describe('an upgrade is refused', () => {
  test('in a checkout', () => {
    expect(() => executableToReplace({ path: process.execPath, is_compiled: false })).toThrow(
      'This is a checkout, not an executable. Upgrade it by `git pull`',
    )
  })

  test('if npm owns the file', () => {
    const file = put('lib/node_modules/@tollgate/linux-x64/tollgate')
    expect(() => find(file)).toThrow(`npm owns ${file}. Upgrade its packages: \`npm install`)
  })

  test('if dpkg owns the file', () => {
    const file = put('usr/bin/tollgate')
    put('var/lib/dpkg/info/tollgate.list', `/.\n/usr\n${file}\n`)
    expect(() => find(file)).toThrow(`dpkg owns ${file}. Upgrade its package: \`sudo apt install`)
  })

  test('if the file is missing', () => {
    expect(() => find(root.at('gone'))).toThrow('ENOENT')
  })

  test.each([
    ['EACCES', undefined, 'This user cannot replace'],
    ['EROFS', undefined, 'is on a read-only file system'],
    ['EROFS', '.dockerenv', 'which came with the image of this container'],
    ['EACCES', 'run/.containerenv', 'which came with the image of this container'],
  ])('if its folder is not writable: %s, with %s', (code, mark, words) => {
    const file = put('bin/tollgate')
    if (mark !== undefined) put(mark)
    const refuse = (folder: string) => {
      expect(folder).toBe(dirname(file))
      throw Object.assign(new Error(code), { code })
    }
    expect(() => executableToReplace({ path: file, is_compiled: true }, root.path, refuse)).toThrow(words)
  })
})

test('a restart is by systemctl if systemd has the unit', () => {
  expect(restartCommand(root.path)).toBeUndefined()
  put('etc/systemd/system/tollgate.service')
  expect(restartCommand(root.path)).toBeUndefined()
  mkdirSync(join(root.path, 'run/systemd/system'), { recursive: true })
  expect(restartCommand(root.path)).toBe('sudo systemctl restart tollgate')
})
