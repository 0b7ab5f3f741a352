"""The attributes that HLO's instructions have: what carries another one is not understood.

Source: the names that XLA's HLO parser reads.
"""

from __future__ import annotations

import re

ANYWHERE = """
    async_execution_thread backend_config control-predecessors frontend_attributes metadata
    original_value result_accuracy sharding statistics
"""
OF_OPCODES = """
    aggregate_to_topk algorithm api_version async_group_id batch_group_count body
    branch_computations called_computations calls channel_id collapsed_slice_dims comparator
    condition constrain_layout control_predecessors cross_program_prefetch_index
    custom_call_has_side_effect custom_call_schedule custom_call_target delta dim_labels
    dimensions direction distribution domain dynamic_slice_sizes entry epsilon exit
    exponent_bits false_computation feature_group_count feature_index fft_length fft_type index
    index_vector_dim indices_are_sorted infeed_config input_batching_dims inserted_window_dims
    iota_dimension is_cross_program_prefetch is_fallback is_host_transfer is_pipelined is_stable
    k kind largest left_side lhs_batch_dims lhs_contracting_dims lhs_ragged_dims literal lower
    mantissa_bits offset_dims operand_batching_dims operand_layout_constraints operand_precision
    order outfeed_config outfeed_shape output_to_operand_aliasing padding padding_type
    parameter_replication recall_target reduction_dim reduction_input_size_override
    replica_groups rhs_batch_dims rhs_contracting_dims rhs_group_dims scatter
    scatter_dims_to_operand_dims scatter_indices_batching_dims schedule select shard_count slice
    slice_sizes source_target_pairs sparsity split_dimension start_index_map
    start_indices_batching_dims to_apply transpose_a true_computation type unique_indices
    unit_diagonal update_window_dims use_global_device_ids window
"""
KNOWN = frozenset(re.findall(r"\S+", ANYWHERE + OF_OPCODES))
