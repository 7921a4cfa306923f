// The systemd unit: its settings, and the verdict of systemd's own tools.
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporary } from '../../support/temporary.ts'

const text = readFileSync(join(import.meta.dir, '../../../data/tollgate.service'), 'utf8')
const lines = text.split('\n')

/** The values of a setting; systemd uses the last one, unless the setting is a list. */
const valuesOf = (name: string): string[] =>
  lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1))

test('the unit can write only its own folder, as a separate user', () => {
  expect(valuesOf('DynamicUser')).toEqual(['yes'])
  expect(valuesOf('ProtectSystem')).toEqual(['strict'])
  expect(valuesOf('ReadWritePaths')).toEqual([])
  expect(valuesOf('StateDirectory')).toEqual(['tollgate'])
  expect(valuesOf('ExecStart')).toEqual(['/usr/local/bin/tollgate serve --data /var/lib/tollgate'])
})

test('the unit allows writable and executable memory, and says why', () => {
  expect(lines[lines.indexOf('MemoryDenyWriteExecute=no') - 1]).toContain('compiles JavaScript')
})

test('the unit waits longer for a stop than the gateway does by default', () => {
  expect(valuesOf('TimeoutStopSec')).toEqual(['60'])
})

/** The unit with the lines enabled that its comments name. */
const withLowPort = text
  .replace(/^(CapabilityBoundingSet=|PrivateUsers=yes)$/gm, '')
  .replace(/^#((?:Ambient|Capability|PrivateUsers).*)$/gm, '$1')

describe.if(Bun.which('systemd-analyze') !== null)("systemd's own tools", () => {
  test.each([
    ['unchanged', text, 2],
    ['for a port below 1024', withLowPort, 2.5],
  ])('find no mistake in the unit, and rate its exposure as low: %s', (_, unit_text, max_exposure) => {
    using folder = temporary()
    const unit = folder.at('tollgate-tried.service')
    writeFileSync(unit, unit_text.replaceAll('/usr/local/bin/tollgate', process.execPath))
    const verify = Bun.spawnSync(['systemd-analyze', 'verify', unit])
    expect(verify.stderr.toString() + verify.stdout.toString()).toBe('')
    expect(verify.exitCode).toBe(0)
    const rating = Bun.spawnSync(['systemd-analyze', 'security', '--offline=yes', unit]).stdout.toString()
    const [, exposure] = /exposure level for \S+: (\d+\.\d+)/.exec(rating) ?? []
    expect(Number(exposure)).toBeLessThan(max_exposure)
  })
})
