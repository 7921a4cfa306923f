// The forms that a MySQL dump can have: literals, escapes, comments, column lists, delimiters, and rows that cannot be read.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMysqlDump } from '../../plugins/import/source/mysql-dump.ts'
import type { SourceRow } from '../../plugins/import/source/rows.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-dumps-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0

async function rowsOf(text: string, table = 't'): Promise<SourceRow[]> {
  count += 1
  const path = join(folder, `${count}.sql`)
  writeFileSync(path, text)
  await using tables = await openMysqlDump(path)
  return Array.fromAsync(tables.rows(table))
}

describe('values', () => {
  const cases: [written: string, value: unknown][] = [
    ['NULL', null],
    ['null', null],
    ['-1', -1],
    ['1.5e-7', 1.5e-7],
    ['9223372036854775807', 9223372036854775807n],
    ['TRUE', 1],
    ["b'1'", 1],
    ["b'0'", 0],
    ['0x41c3a9', Buffer.from('Aé')],
    ["x'4142'", Buffer.from('AB')],
    ["''", ''],
    ["'it''s'", "it's"],
    [`'it\\'s "so"'`, `it's "so"`],
    ['"it\'s ""so"""', 'it\'s "so"'],
    ["'a\\nb\\tc\\\\d\\0e\\Zf'", 'a\nb\tc\\d\0e\x1af'],
    ["'100\\% \\q'", '100\\% q'],
    ["_utf8mb4'王小明 🐉'", '王小明 🐉'],
    ["_binary 'x'", 'x'],
    ["'),(1,\\'; DROP TABLE t; -- /* # `'", "),(1,'; DROP TABLE t; -- /* # `"],
  ]
  test.each(cases)('%s', async (written, value) => {
    const rows = await rowsOf(
      `CREATE TABLE t (a int, b text);\nINSERT INTO t VALUES (${written}, 2), (3 , ${written} );`,
    )
    expect(rows).toEqual([
      { a: value, b: 2 },
      { a: 3, b: value },
    ])
  })
})

const PHPMYADMIN = `-- phpMyAdmin SQL Dump
-- version 5.2.1
SET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";
START TRANSACTION;
/*!40101 SET NAMES utf8mb4 */;

CREATE TABLE IF NOT EXISTS \`shop\`.\`t\` (
  \`id\` bigint(20) NOT NULL COMMENT 'a; b, (c) \`d\`',
  \`key\` varchar(64) DEFAULT 'it''s, (so)', -- a comment, with (parentheses)
  \`group\` enum('a','b') NOT NULL,
  PRIMARY KEY (\`id\`),
  KEY \`k\` (\`key\`,\`group\`)
) ENGINE=InnoDB;

--
-- Dumping data for table \`t\`
--

INSERT INTO \`t\` (\`id\`, \`key\`, \`group\`) VALUES
(1, 'one', 'a'),
(2, NULL, 'b');
INSERT IGNORE INTO \`t\` (\`group\`, \`id\`) VALUES ('a', 3)
ON DUPLICATE KEY UPDATE \`id\` = 4;
DELIMITER $$
CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW BEGIN SET NEW.id = 'it''s'; INSERT INTO t VALUES (9); END$$
DELIMITER ;
# an older sort of comment; with a semicolon and a 'quote
ALTER TABLE \`t\` ADD INDEX (\`id\`);
COMMIT;
`

describe('forms of dumps', () => {
  test('a dump of phpMyAdmin is read, with column lists, comments and a trigger between delimiters', async () => {
    expect(await rowsOf(PHPMYADMIN)).toEqual([
      { id: 1, key: 'one', group: 'a' },
      { id: 2, key: null, group: 'b' },
      { group: 'a', id: 3 },
    ])
  })

  test('a table without rows is read, and the table after it', async () => {
    const text = 'CREATE TABLE `a` (`x` int);\nCREATE TABLE `t` (`y` int);\nREPLACE INTO `t` VALUES(1),(2);\n'
    expect(await rowsOf(text, 'a')).toEqual([])
    expect(await rowsOf(text)).toEqual([{ y: 1 }, { y: 2 }])
  })

  test('a dump of two databases is refused, so that their tables are not mixed', async () => {
    const one = 'USE a;\nCREATE TABLE `t` (`x` int);\nINSERT INTO `t` VALUES (1);\n'
    await expect(rowsOf(one + one.replace('USE a', 'USE b'))).rejects.toThrow('creates the table t twice')
  })

  test('rows longer than a chunk of the file are read, and thousands of rows in one INSERT', async () => {
    const long = 'x'.repeat(3_000_000)
    const numbers = Array.from(
      { length: 20_000 },
      (_, at) => `(${at},'${at % 7 === 0 ? "o\\'k" : 'ok'}')`,
    ).join(',')
    const rows = await rowsOf(
      `CREATE TABLE t (a int, b text);INSERT INTO t VALUES ${numbers},(-1,'${long}');`,
    )
    expect(rows).toHaveLength(20_001)
    expect(rows[7]).toEqual({ a: 7, b: "o'k" })
    expect(rows.at(-1)).toEqual({ a: -1, b: long })
  })
})

describe('unreadable rows', () => {
  const cases: [name: string, insert: string, message: string][] = [
    ['too few values', "INSERT INTO t VALUES (1,'x'),(2);", 'row 2 of an INSERT into t'],
    ['too many values', "INSERT INTO t VALUES (1,'x',3);", '3 values for 2 columns'],
    ['a function', 'INSERT INTO t VALUES (1,now());', 'neither NULL, a number'],
    ['no comma', "INSERT INTO t VALUES (1,'x' 'y');", '"," or ")" is missing'],
    ['an open string', "INSERT INTO t VALUES (1,'x);", 'is cut off'],
    ['no semicolon', "INSERT INTO t VALUES (1,'x')", 'is cut off'],
    ['SET', 'INSERT INTO t SET a = 1;', 'has an INSERT without VALUES'],
  ]
  test.each(cases)('%s: refused with the place', async (_, insert, message) => {
    await expect(rowsOf(`CREATE TABLE t (a int, b text);\n${insert}`)).rejects.toThrow(message)
  })

  test('rows without CREATE TABLE are refused, unless they have a column list', async () => {
    await expect(rowsOf("INSERT INTO t VALUES (1,'x');")).rejects.toThrow('without its CREATE TABLE')
    expect(await rowsOf("INSERT INTO t (a, b) VALUES (1,'x');")).toEqual([{ a: 1, b: 'x' }])
  })
})
