// The doctor's round, for the operator: what it found, and what to do.
import { Elysia } from 'elysia'
import { DoctorReport } from '../../../src/surface/doctor.ts'
import type { Gateway } from '../../../src/surface/gateway.ts'
import { FAILURES, operatorCalls } from '../calls.ts'

/** `POST /console/api/doctor`: by POST, since each provider is asked something. It changes nothing. */
export function doctorRoutes(gateway: Gateway) {
  const { doctor } = gateway
  return new Elysia({ name: 'console-doctor' })
    .use(operatorCalls(gateway))
    .post('/console/api/doctor', () => doctor.examine(), { response: { 200: DoctorReport, ...FAILURES } })
}
