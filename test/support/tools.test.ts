// Tests of the lookup of external programs: found, set by a variable, absent, and absent in CI.
import { expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { temporary } from './temporary.ts'
import { BUILDAH, findTool, GO, NGINX, PROMTOOL, type Tool, VERSITYGW } from './tools.ts'

const TOOL: Tool = { name: 'a-tool', variable: 'A_TOOL', install: 'Install it.' }

function folderWith(name: string) {
  const folder = temporary()
  writeFileSync(folder.at(name), '#!/bin/sh\n')
  chmodSync(folder.at(name), 0o755)
  return folder
}

test('a tool is found in the PATH or in its own folders', () => {
  using folder = folderWith('a-tool')
  expect(findTool(TOOL, { PATH: folder.path })).toBe(folder.at('a-tool'))
  expect(findTool({ ...TOOL, folders: [folder.path] }, { PATH: '' })).toBe(folder.at('a-tool'))
})

test('a tool is found by its variable', () => {
  using folder = folderWith('another')
  expect(findTool(TOOL, { PATH: '', A_TOOL: folder.at('another') })).toBe(folder.at('another'))
})

test('a missing tool is undefined, but in CI an error that says how to install it', () => {
  expect(findTool(TOOL, { PATH: '' })).toBeUndefined()
  expect(() => findTool(TOOL, { PATH: '', CI: 'true' })).toThrow('a-tool not found. Install it.')
  expect(() => findTool(TOOL, { PATH: '', CI: 'true', A_TOOL: '/nowhere' })).toThrow('/nowhere not found.')
})

test.each([PROMTOOL, VERSITYGW, { ...GO, folders: [] }, { ...NGINX, folders: [] }, BUILDAH])(
  'CI fails without $name',
  (tool) => {
    expect(() => findTool(tool, { PATH: '', CI: 'true' })).toThrow(`${tool.name} not found.`)
  },
)
