// Whose an executable is: its own, or that of a package, an image or another user, each with the way to upgrade there.
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
const found = (path: string) => executableToReplace({ path, is_compiled: true }, root.path)

test('its own file, behind a link', () => {
  const file = put('opt/tollgate/tollgate')
  symlinkSync(file, root.at('link'))
  put('var/lib/dpkg/info/tollgate.list', `${file}.old\n/usr/share/${file}\n`)
  expect(found(root.at('link'))).toBe(file)
})

describe('refused', () => {
  test('in a checkout', () => {
    expect(() => executableToReplace({ path: process.execPath, is_compiled: false })).toThrow(
      'This is a checkout, not an executable. Upgrade it by `git pull`',
    )
  })

  test('where npm owns it', () => {
    const file = put('lib/node_modules/@tollgate/linux-x64/tollgate')
    expect(() => found(file)).toThrow(`npm owns ${file}. Upgrade its packages: \`npm install`)
  })

  test('where dpkg owns it', () => {
    const file = put('usr/bin/tollgate')
    put('var/lib/dpkg/info/tollgate.list', `/.\n/usr\n${file}\n`)
    expect(() => found(file)).toThrow(`dpkg owns ${file}. Upgrade its package: \`sudo apt install`)
  })

  test('where it is gone', () => {
    expect(() => found(root.at('gone'))).toThrow('ENOENT')
  })

  test.each([
    ['EACCES', undefined, 'This user cannot replace'],
    ['EROFS', undefined, 'is on a read-only file system'],
    ['EROFS', '.dockerenv', 'which came with the image of this container'],
    ['EACCES', 'run/.containerenv', 'which came with the image of this container'],
  ])('where its folder cannot be written to: %s, with %s', (code, mark, words) => {
    const file = put('bin/tollgate')
    if (mark !== undefined) put(mark)
    const refuse = (folder: string) => {
      expect(folder).toBe(dirname(file))
      throw Object.assign(new Error(code), { code })
    }
    expect(() => executableToReplace({ path: file, is_compiled: true }, root.path, refuse)).toThrow(words)
  })
})

test('how it is restarted: by systemd, where that has its unit', () => {
  expect(restartCommand(root.path)).toBeUndefined()
  put('etc/systemd/system/tollgate.service')
  expect(restartCommand(root.path)).toBeUndefined()
  mkdirSync(join(root.path, 'run/systemd/system'), { recursive: true })
  expect(restartCommand(root.path)).toBe('sudo systemctl restart tollgate')
})
