// Other gateways over the same database: together they raise and send each alert once.
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { Operations } from '../../src/app/surface/gateway.ts'

export interface OtherGateways {
  /** Identifies this gateway as `hostname:data folder`. At most one gateway serves a data folder. */
  machine: string
  /** Whether a live gateway runs on the machine. */
  isAlive: (machine: string) => boolean
  /** Whether this gateway is the oldest live one, which checks the conditions that all gateways share. */
  isEldest: () => boolean
}

/** @returns undefined if no other gateway can share the database */
export function otherGateways({
  gateways,
  data_folder,
}: Pick<Operations, 'gateways' | 'data_folder'>): OtherGateways | undefined {
  if (!gateways()) return undefined
  const alive = () => gateways()?.alive ?? []
  const own_machine = `${hostname()}:${resolve(data_folder)}`
  return {
    machine: own_machine,
    // This gateway's row does not count for another data folder on the same host, such as one before a move to a larger disk.
    isAlive: (machine) =>
      machine === own_machine ||
      alive().some(({ is_this, name }) => !is_this && machine.startsWith(`${name}:`)),
    isEldest: () => alive()[0]?.is_this ?? true,
  }
}
