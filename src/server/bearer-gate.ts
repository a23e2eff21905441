import { OAuthError, OAuthErrorCode, requireBearerAuth } from '@modelcontextprotocol/server'
import type { Principal } from '../core/principal.ts'
import type { Authenticator } from '../identity/authenticator.ts'

/** Who sends a request, or the 401 with its challenge where the token is missing or wrong. */
export type BearerGate = (request: Request) => Promise<Response | Principal>

export function bearerGate(authenticate: Authenticator): BearerGate {
  return async request => {
    const found: Principal[] = []
    const gate = requireBearerAuth({
      verifier: {
        verifyAccessToken: async token => {
          const principal = authenticate(token)
          if (principal === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, 'The token is not known here')
          found.push(principal)
          return { token: '', clientId: principal.id, scopes: [], expiresAt: Number.MAX_SAFE_INTEGER }
        },
      },
    })
    const answer = await gate(request)
    const [principal] = found
    if (answer instanceof Response) return answer
    return principal ?? new Response(null, { status: 401 })
  }
}
