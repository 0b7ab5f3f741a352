"""A program for JAX whose dump is looked at; prints what the compiler counts for it."""

import json

import jax
import jax.numpy as jnp


def block(w, x):
    """Attention without heads: two products, a softmax, a transpose."""
    scores = jax.nn.softmax(x @ w @ x.T, axis=-1)
    return scores @ x, scores.T


compiled = jax.jit(block).lower(jnp.ones((24, 24)), jnp.ones((10, 24))).compile()
counted = compiled.memory_analysis()
print(
    json.dumps(
        {
            "arguments": counted.argument_size_in_bytes,
            "outputs": counted.output_size_in_bytes,
            "text": compiled.as_text(),
        }
    )
)
